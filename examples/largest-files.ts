// The ten largest files of a folder: their share of the whole, and when they were last changed.
//   lockgate run examples/largest-files.ts --dir .

interface Row {
  path: string;
  bytes: number;
  share: string;
  changed: string | null;
}

const { entries, truncated } = await tools.list_files({ glob: "**/*", limit: 20_000 });
const files = entries.filter((entry) => entry.kind === "file");
const total = files.reduce((sum, file) => sum + file.size, 0);
console.log(`${files.length} files, ${total} bytes${truncated ? " (the list was cut)" : ""}`);

const largest = files.sort((a, b) => b.size - a.size).slice(0, 10);

// One call per file; the scheduler runs as many at a time as it has lanes.
const stats = await Promise.all(largest.map((file) => tools.stat_file({ path: file.path })));

return largest.map((file, index): Row => {
  const modified = stats[index]!.modified_ms;
  return {
    path: file.path,
    bytes: file.size,
    share: `${((100 * file.size) / (total || 1)).toFixed(1)} %`,
    changed: modified == null ? null : new Date(modified).toISOString().slice(0, 10),
  };
});
