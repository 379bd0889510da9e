total = 0
for i in range(5000000):
    total = (total + (i & 1023) * 3) % 1000003
return total
