import logging
import sys
import warnings

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s", force=True)
log = logging.getLogger("app.sub")
log.debug("hidden")
log.info("user %s has %d items", "ada", 3)
try:
    1 / 0
except ZeroDivisionError:
    log.error("failed: %s", sys.exc_info()[1])
records = []


class Keep(logging.Handler):
    def emit(self, record):
        records.append((record.levelname, record.getMessage()))


log.addHandler(Keep())
log.propagate = False
log.warning("kept")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("careful", UserWarning)
return {"records": records, "warnings": [str(w.message) for w in caught], "level": logging.getLevelName(log.getEffectiveLevel())}
