# SPEC J7
# fails: exception at 5:1, RuntimeError: outer; a note (cause: KeyError: 'k')
error = RuntimeError("outer")
error.add_note("a note")
raise error from KeyError("k")
