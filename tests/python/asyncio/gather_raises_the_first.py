# SPEC K2
# returns: ["fail","the tool failed"]
import asyncio
try:
    await asyncio.gather(tools.sleep(ms=1), tools.fail(), tools.fail())
except ToolCallError as error:
    return [error.tool_name, error.message]
