# SPEC J3
# fails: exception at 3:1, No such file or directory: '/etc/passwd'; a program can open files only in folders that were mounted for it; use a tool
open("/etc/passwd")
