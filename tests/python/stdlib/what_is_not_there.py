# LIMITATIONS
# returns: []
import importlib
absent = '''bz2 ctypes curses fcntl grp lzma mmap multiprocessing pwd readline resource ssl termios tkinter turtle venv pdb
cProfile ftplib imaplib poplib smtplib xmlrpc wsgiref numpy pandas requests yaml'''.split()
there = []
for name in absent:
    try:
        importlib.import_module(name)
        there.append(name)
    except ImportError:
        pass
return there
