# reports 11
# fails: exception at 3:1, KeyError: tools["x y"] is not a tool; there are echo, fail, sleep, hang, drop, big, a-b
tools["x y"]
