# SPEC J9
# returns: true
import datetime, zoneinfo
utc = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
try:
    zoneinfo.ZoneInfo("Europe/Berlin")
except zoneinfo.ZoneInfoNotFoundError:
    pass
return utc.isoformat() == "2024-01-01T00:00:00+00:00"
