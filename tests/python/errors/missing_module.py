# SPEC J9
# fails: exception at 3:1, No module named 'requests'; there is no network; call a tool
import requests
