# SPEC J6
# fails: sandbox-exit, the program ended its own process
import os
os._exit(3)
