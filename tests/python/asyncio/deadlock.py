# SPEC H5
# fails: exception, Deadlock
import asyncio
await asyncio.Event().wait()
