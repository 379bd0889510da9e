# SPEC J9
# fails: exception at 3:1, No module named 'colections'; did you mean collections?
import colections
