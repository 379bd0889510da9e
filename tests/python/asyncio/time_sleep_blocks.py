# LIMITATIONS
# returns: true
import time
began = time.monotonic()
time.sleep(0.03)
return 0.025 < time.monotonic() - began < 5
