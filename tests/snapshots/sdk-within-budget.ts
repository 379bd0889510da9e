/*
`tools` in the programs of run_code. Nothing is kept from one program to the next.
- Every call returns a promise of the tool's value: await it. A call that is not awaited is abandoned when the program ends.
- Independent calls: await Promise.all([...]); they run in parallel where the tools allow it. Use Promise.allSettled to go on when some fail.
- Values are plain JSON: pass and return no undefined, Date, Map or functions. Leave a key out, or pass null.
- A failed call throws a ToolCallError. Catch it to go on; uncaught, it ends the program.
- Return the answer and print with console.log what else you need; keep both short.

Example: const user = await tools.get_user({ id: 7 }); return user.name;
Example: const texts = await Promise.all(paths.map((path) => tools.read_file({ path })));
  return texts.map((text, i) => ({ path: paths[i], lines: text.split("\n").length }));
*/
type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
type Integer = number;
declare class ToolCallError extends Error {
  readonly toolName: string;
}
type ToolName = keyof ToolArgsMap;
declare const tools: {
  readonly [Name in ToolName]: (
    ...args: {} extends ToolArgsMap[Name] ? [args?: ToolArgsMap[Name]] : [args: ToolArgsMap[Name]]
  ) => Promise<ToolOutputMap[Name]>;
};
/*
More tools, listed only: find them with $search, read their declarations with $describe.
- save_tree: Stores a tree of nodes.
- "search.code": Searches the code.
*/
interface ToolArgsMap {
  /** The declaration of a tool by its exact name. Read it before you call a tool that is only listed. */
  $describe: string;
  /** Finds tools by words, best first. */
  $search: string;
  ping: {};
  /** Reads a text file. */
  read_file: {
    /** Path below the root. */
    path: string;
    /** First line, counted from 1. (default: 1; minimum: 1) */
    from?: Integer;
    encoding?: "utf-8" | "latin-1";
  };
}
interface ToolOutputMap {
  $describe: string;
  $search: { name: string; about: string }[];
  ping: null;
  read_file: string;
}
