def countdown(n):
    while n:
        received = yield n
        n = received if received is not None else n - 1
    return "liftoff"


def delegating():
    result = yield from countdown(3)
    yield result


def averager():
    total = count = 0
    average = None
    while True:
        try:
            value = yield average
        except ValueError:
            total = count = 0
            average = None
            continue
        total += value
        count += 1
        average = total / count


avg = averager()
next(avg)
averages = [avg.send(x) for x in (10, 20, 60)]
avg.throw(ValueError)
averages.append(avg.send(4))
gen = countdown(10)
sent = [next(gen), gen.send(2), next(gen)]
try:
    next(gen)
except StopIteration as stop:
    sent.append(stop.value)


def walk(tree):
    if tree:
        left, value, right = tree
        yield from walk(left)
        yield value
        yield from walk(right)


tree = ((None, 1, None), 2, ((None, 3, None), 4, None))
log = []


def closing():
    try:
        yield 1
    finally:
        log.append("closed")


c = closing()
next(c)
c.close()
squares = (x * x for x in range(5))
return {"delegating": list(delegating()), "averages": averages, "sent": sent, "walk": list(walk(tree)), "log": log, "lazy": [next(squares), next(squares), sum(squares)]}
