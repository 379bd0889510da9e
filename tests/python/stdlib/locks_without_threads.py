# SPEC J9
# returns: [true, false, false, true, "RuntimeError", "RuntimeError", "Empty", "RuntimeError", "RuntimeError", 3, true]
import queue
import threading

out = []
lock = threading.Lock()
out.append(lock.acquire())
out.append(lock.acquire(blocking=False))
out.append(lock.acquire(timeout=0.01))
lock.release()
with lock:
    out.append(lock.locked())
    try:
        lock.acquire()
    except RuntimeError as error:
        assert "wait for ever" in str(error) and "use asyncio" in str(error), error
        out.append(type(error).__name__)
for wait in (
    lambda: queue.Queue().get(),
    lambda: queue.Queue().get(timeout=0.01),
    lambda: queue.SimpleQueue().get(),
    lambda: threading.Event().wait(),
):
    try:
        wait()
    except Exception as error:
        out.append(type(error).__name__)
jobs = queue.Queue()
for job in range(3):
    jobs.put(job)
out.append(sum(jobs.get() for _ in range(3)))
again = threading.RLock()
with again, again:
    out.append(threading.Semaphore(2).acquire())
return out
