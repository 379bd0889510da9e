# SPEC J7
# fails: exception at 3:5, SyntaxError: 'yield' outside function
x = yield 1
