numbers = []
state = 12345
for _ in range(200000):
    state = (state * 1103 + 12345) % 2097143
    numbers.append(state)
numbers.sort()
return numbers[1000] + numbers[150000]
