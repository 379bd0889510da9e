for i in range(10000):
    await tools.noop({"i": i})
return 10000
