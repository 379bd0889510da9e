// Counts the TODO, FIXME and HACK notes of a source tree by kind and by file.
//   lockgate run examples/todo-census.ts --dir .

type Kind = "TODO" | "FIXME" | "HACK";
const kinds: Kind[] = ["TODO", "FIXME", "HACK"];

// Three searches at once; each gives its hits or says why it could not.
const searches = await Promise.allSettled(
  kinds.map((kind) => tools.search_files({ pattern: `\\b${kind}\\b`, glob: "**/*.{rs,ts,js,py,md,toml}", limit: 10_000 })),
);

const byKind: Record<string, number> = {};
const byFile = new Map<string, number>();
searches.forEach((search, index) => {
  const kind = kinds[index]!;
  if (search.status === "rejected") {
    console.warn(`${kind}: ${search.reason.message}`);
    return;
  }
  if (search.value.truncated) console.warn(`${kind}: there are more than were searched for`);
  byKind[kind] = search.value.matches.length;
  for (const match of search.value.matches) {
    byFile.set(match.path, (byFile.get(match.path) ?? 0) + 1);
  }
});

const busiest = [...byFile].sort(([, a], [, b]) => b - a).slice(0, 5);
for (const [path, count] of busiest) {
  console.log(`${String(count).padStart(4)}  ${path}`);
}
return { byKind, files: byFile.size };
