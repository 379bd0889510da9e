# SPEC J6
# fails: sandbox-exit, 
import os
os.abort()
