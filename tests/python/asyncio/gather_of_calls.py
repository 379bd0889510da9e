# SPEC K2
# returns: [{"i":0},{"i":1},{"i":2}]
import asyncio
return await asyncio.gather(*(tools.echo({"i": i}) for i in range(3)))
