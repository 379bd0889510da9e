# SPEC J3
# returns: [{},"/",0]
import os, sys
return [dict(os.environ), os.getcwd(), len(sys.argv) - 1 if sys.argv and sys.argv[0] else 0]
