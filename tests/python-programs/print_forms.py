import sys

print()
print("a", "b", sep="")
print("no newline", end="")
print(" ... and its end")
print(1, 2.0, None, True, [1, "x"], {"k": (1,)}, {1}, b"b", 1j, ..., sep=" | ")
print("tab\tand \"quotes\" and \\ and ünï 東京 👍")
print("multi\nline")
print(f"{'right':>10}|{'left':<10}|")
sys.stdout.write("written ")
sys.stdout.write("directly\n")
print("to stderr", file=sys.stderr)
print("flushed", flush=True)
print(*[], sep=",")
print(*"abc", sep="\n")
print("trailing spaces   ")
print("end without newline", end="")
return None
