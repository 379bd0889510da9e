# reports 5
# fails: invalid-output, result.x is an awaitable (ToolCall); await it
return {"x": tools.echo(a=1)}
