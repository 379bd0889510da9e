# SPEC H5
# fails: exception at 4:1, SystemExit: 2; to end a program, return from it
import sys
sys.exit(2)
