# SPEC J7
# fails: exception at 4:12, at main (program.py:6:10)
def load(x):
    return {"é": x}["b"]
def main():
    日本 = load(1)
main()
