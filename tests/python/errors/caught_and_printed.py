# SPEC J5
# returns: true
import io, contextlib, traceback
try:
    raise ValueError("bad")
except ValueError:
    return 'raise ValueError("bad")' in traceback.format_exc()
