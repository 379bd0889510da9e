# LIMITATIONS
# returns: 5
import asyncio
return await asyncio.to_thread(sum, [2, 3])
