# SPEC J7
# fails: exception, IndentationError: unexpected indent
x = 1
  y = 2
