# SPEC J9
# returns: "no numpy"
try:
    import numpy
except ImportError:
    return "no numpy"
