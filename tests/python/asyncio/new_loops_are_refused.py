# reports 10
# fails: exception, there can be no other; use await
import asyncio
loop = asyncio.new_event_loop()
