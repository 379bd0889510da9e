# reports 6
# fails: exception at 3:8, ToolCallError: tools.fail failed and nothing awaited it: the tool failed
call = tools.fail()
await tools.sleep(ms=20)
return "fine"
