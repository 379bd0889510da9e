# SPEC J7
# fails: exception at 6:1, Odd: <its text failed: ValueError>
class Odd(Exception):
    def __str__(self):
        raise ValueError
raise Odd()
