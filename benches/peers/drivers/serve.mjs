// The driver's side of the protocol: one JSON line says what to do, one says what came of it.
//
// First the driver says `{peer, works}`, or `{skip}` with the reason why it can't run here. Then, for each
// `{work, iterations}`, it says `{wall_us, value, …}` or `{error}`. It ends when its input does.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { works } from "./works.mjs";

const programFolder = new URL("../../programs/", import.meta.url);

/** The programs of one suffix by work; `suffixes` after the first are for works that have no program of the first. */
export function programs(...suffixes) {
  const found = {};
  for (const name of readdirSync(programFolder)) {
    const [work, suffix] = name.split(".");
    if (suffixes.includes(suffix)) found[work] = readFileSync(new URL(name, programFolder), "utf8");
  }
  return found;
}

/** The value that the tool `report` gives. */
export function report() {
  const path = process.env.LOCKGATE_BENCH_REPORT;
  return path && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { rows: [] };
}

export function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Serves a peer that runs in this process. */
export function servePeer(peer, name, suffixes = ["js"]) {
  return serve(name, works(peer, programs(...suffixes), report()));
}

export async function serve(name, table) {
  say({ peer: name, works: Object.keys(table) });
  for await (const line of createInterface({ input: process.stdin })) {
    const { work, iterations } = JSON.parse(line);
    try {
      const began = performance.now();
      const done = await table[work](iterations);
      say({ wall_us: (performance.now() - began) * 1000, ...done });
    } catch (error) {
      say({ error: String(error?.message ?? error) });
    }
  }
  process.exit(0);
}

/** Calls `main`; a peer that can't be loaded is skipped with its reason. */
export async function orSkip(main) {
  try {
    await main();
  } catch (error) {
    say({ skip: String(error?.message ?? error).split("\n")[0] });
    process.exit(0);
  }
}
