# SPEC J7
# fails: exception at 3:8, ZeroDivisionError
'😀é'; 1 / 0
