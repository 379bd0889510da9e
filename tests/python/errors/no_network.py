# SPEC J3
# returns: ["there is no network; call a tool","there is no network; call a tool"]
import socket, urllib.request
seen = []
try:
    urllib.request.urlopen("http://example.com")
except OSError as error:
    seen.append(str(error.reason))
try:
    socket.create_connection(("127.0.0.1", 80))
except OSError as error:
    seen.append(str(error))
return seen
