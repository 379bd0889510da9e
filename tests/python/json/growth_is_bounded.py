# SPEC J4
# fails: output-limit, logs and result together passed the limit
return ["x" * 10_000] * 7_000
