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
type SaveTree_Node = {
  /** Shown in the tree. */
  name: string;
  children?: SaveTree_Node[];
};
interface ToolArgsMap {
  ping: {};
  /** Reads a text file. */
  read_file: {
    /** Path below the root. */
    path: string;
    /** First line, counted from 1. (default: 1; minimum: 1) */
    from?: Integer;
    encoding?: "utf-8" | "latin-1";
  };
  /** Stores a tree of nodes. */
  save_tree: { root: SaveTree_Node; labels?: { [key: string]: string } };
  /**
   * Searches the code.
   *
   * The pattern is a regular expression: `a|b`, "quoted", C:\path, *\/ and """.
   */
  "search.code": {
    /** (minLength: 1; e.g. "fn main") */
    query: string;
    scope?:
      /** Every file. */
      | "all"
      /** Files that differ from the last commit. */
      | "changed"
      | { folder: string };
    /** (maximum: 500) */
    "max-results"?: Integer | null;
    /** @deprecated (format: date-time) */
    since?: string;
  };
}
interface ToolOutputMap {
  ping: null;
  read_file: string;
  save_tree:
    /** How many nodes there are now. */
    | Integer
    | null;
  "search.code": { total: Integer; matches: { path: string; line: Integer; text: string }[] };
}
