import argparse

parser = argparse.ArgumentParser(prog="tool", exit_on_error=False)
parser.add_argument("files", nargs="+")
parser.add_argument("-n", "--number", type=int, default=1)
parser.add_argument("--mode", choices=["fast", "slow"], default="fast")
parser.add_argument("-v", action="count", default=0)
parser.add_argument("--flag", action=argparse.BooleanOptionalAction)
args = parser.parse_args(["a.txt", "b.txt", "-n", "5", "-vv", "--no-flag", "--mode=slow"])
try:
    parser.parse_args(["x", "-n", "many"])
except argparse.ArgumentError as e:
    error = e.argument_name
return {**vars(args), "error": error}
