// Replaces a word in all text files of a folder, and says what was changed.
//   lockgate run examples/find-and-edit.ts --dir DIR --write

const FROM = "colour";
const TO = "color";

const { matches } = await tools.search_files({ pattern: `\\b${FROM}\\b`, glob: "**/*.{md,txt}" });
const paths = [...new Set(matches.map((match) => match.path))];

const changed: Record<string, number> = {};
for (const path of paths) {
  // Edits run one at a time anyway: a tool that writes is a barrier.
  try {
    const edit = await tools.edit_file({ path, old_text: FROM, new_text: TO, replace_all: true });
    changed[path] = edit.replacements;
  } catch (error) {
    if (!(error instanceof ToolCallError)) throw error;
    console.warn(`${path}: ${error.message}`);
  }
}
return { files: Object.keys(changed).length, changed };
