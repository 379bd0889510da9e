# SPEC J7
# fails: exception at 3:7, SyntaxError: unterminated string literal
print("hello)
