import traceback


class AppError(Exception):
    pass


class NotFound(AppError):
    def __init__(self, key):
        super().__init__(f"{key!r} not found")
        self.key = key


log = []


def load(key):
    try:
        return {"a": 1}[key]
    except KeyError as error:
        raise NotFound(key) from error
    else:
        log.append("never")
    finally:
        log.append(f"finally {key}")


def safe(f, *args):
    try:
        value = f(*args)
    except (ZeroDivisionError, NotFound) as e:
        log.append(f"{type(e).__name__}: {e}")
        return None
    except Exception as e:
        log.append(f"other {type(e).__name__}")
        return None
    else:
        log.append("ok")
        return value


results = [safe(load, "a"), safe(load, "b"), safe(lambda: 1 / 0), safe(int, "x"), safe(lambda: [][1])]
try:
    load("zz")
except AppError as error:
    cause = type(error.__cause__).__name__
    lines = traceback.format_exception_only(error)
error = ValueError("noted")
error.add_note("a note")
try:
    raise ExceptionGroup("many", [error, TypeError("t"), ExceptionGroup("inner", [KeyError("k")])])
except* KeyError as group:
    log.append(f"keys {len(group.exceptions)}")
except* (ValueError, TypeError) as group:
    log.append(f"values {[str(e) for e in group.exceptions]}")
try:
    assert 1 == 2, "unequal"
except AssertionError as e:
    log.append(str(e))
return {"results": results, "log": log, "cause": cause, "lines": [l.split(".")[-1] for l in lines], "notes": error.__notes__}
