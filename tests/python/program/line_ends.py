# SPEC J7
# fails: exception at 4:1, ZeroDivisionError
x = ' '
1 / 0
