# SPEC K4
# returns: 1
tools.hang()
return 1
