# The ten largest files of a folder: their share of the whole, and when they were last changed.
#   lockgate run examples/largest-files.py --dir .
import asyncio
from datetime import datetime, timezone

found = await tools.list_files(glob="**/*", limit=20_000)
files = [entry for entry in found["entries"] if entry["kind"] == "file"]
total = sum(file["size"] for file in files)
print(f"{len(files)} files, {total:,} bytes{' (the list was cut)' if found['truncated'] else ''}")

largest = sorted(files, key=lambda file: file["size"], reverse=True)[:10]

# One call per file; the scheduler runs as many at a time as it has lanes.
stats = await asyncio.gather(*(tools.stat_file(path=file["path"]) for file in largest))


def changed(stat):
    modified = stat.get("modified_ms")
    return modified and datetime.fromtimestamp(modified / 1000, timezone.utc).date().isoformat()


return [
    {
        "path": file["path"],
        "bytes": file["size"],
        "share": f"{100 * file['size'] / (total or 1):.1f} %",
        "changed": changed(stat),
    }
    for file, stat in zip(largest, stats)
]
