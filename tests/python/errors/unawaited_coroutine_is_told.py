# SPEC J5
# prints: program.py:6: RuntimeWarning: coroutine 'f' was never awaited
# prints:   f()
# returns: nothing
async def f(): pass
f()
