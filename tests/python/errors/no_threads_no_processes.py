# SPEC J3
# returns: ["there are no threads; use asyncio","there are no threads; use asyncio",true]
import concurrent.futures, subprocess, threading
seen = []
try:
    threading.Thread(target=print).start()
except RuntimeError as error:
    seen.append(str(error))
try:
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pool.submit(print)
except RuntimeError as error:
    seen.append(str(error))
try:
    subprocess.run(["ls"])
except OSError as error:
    seen.append("does not support processes" in str(error))
return seen
