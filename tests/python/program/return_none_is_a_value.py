# SPEC H4
# returns: null
return None
