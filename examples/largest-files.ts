// The ten largest files of a folder, with their share of the whole.
//   lockgate run examples/largest-files.ts --dir .

interface Row {
  path: string;
  bytes: number;
  share: string;
}

const { entries, truncated } = await tools.list_files({ pattern: "**/*" });
const files = entries.filter((entry) => entry.kind === "file");
console.log(`${files.length} files${truncated ? " (the list was cut)" : ""}`);

// One call per file; the scheduler runs as many at a time as it has lanes.
const stats = await Promise.all(files.map((file) => tools.stat_file({ path: file.path })));
const total = stats.reduce((sum, stat) => sum + stat.bytes, 0);

const rows: Row[] = stats
  .sort((a, b) => b.bytes - a.bytes)
  .slice(0, 10)
  .map((stat) => ({
    path: stat.path,
    bytes: stat.bytes,
    share: `${((100 * stat.bytes) / (total || 1)).toFixed(1)} %`,
  }));

return { total_bytes: total, largest: rows };
