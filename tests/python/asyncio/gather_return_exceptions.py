# reports 12: one failing call does not fail its siblings
# returns: ["ToolCallError: the tool failed",{"a":1}]
import asyncio
got = await asyncio.gather(tools.fail(), tools.echo(a=1), return_exceptions=True)
return [f"{type(each).__name__}: {each}" if isinstance(each, Exception) else each for each in got]
