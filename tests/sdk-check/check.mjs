// Type-checks TypeScript files, each as a program of its own, and prints what the compiler says: one JSON text per line.
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";

const options = {
  strict: true,
  noEmit: true,
  noImplicitOverride: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  types: [],
  moduleDetection: ts.ModuleDetectionKind.Force,
  module: ts.ModuleKind.ES2022,
};
const host = ts.createCompilerHost(options);
const parsed = new Map();
const parse = host.getSourceFile.bind(host);
host.getSourceFile = (name, ...rest) => {
  if (!parsed.has(name)) parsed.set(name, parse(name, ...rest));
  return parsed.get(name);
};
for (const file of process.argv.slice(2)) {
  const program = ts.createProgram([file], options, host);
  for (const diagnostic of ts.getPreEmitDiagnostics(program)) {
    const line = diagnostic.file ? diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start).line + 1 : 0;
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n").slice(0, 300);
    const entry = { file: path.basename(diagnostic.file?.fileName ?? ""), line, code: diagnostic.code, message };
    fs.writeSync(1, JSON.stringify(entry) + "\n");
  }
  parsed.delete(file);
}
