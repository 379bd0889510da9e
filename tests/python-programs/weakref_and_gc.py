import gc
import weakref


class Thing:
    def __init__(self, name):
        self.name = name


log = []
t = Thing("t")
ref = weakref.ref(t, lambda r: log.append("gone"))
weakref.finalize(t, log.append, "finalized")
values = weakref.WeakValueDictionary(t=t)
before = [ref().name, len(values)]
del t
gc.collect()
a, b = Thing("a"), Thing("b")
a.other, b.other = b, a
cycle = weakref.ref(a)
del a, b
gc.collect()
return {"before": before, "after": [ref() is None, len(values)], "log": sorted(log), "cycle": cycle() is None}
