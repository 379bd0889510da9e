# SPEC J7
# fails: exception at 3:1, name 'pritn' is not defined. Did you mean: 'print'?
pritn(1)
