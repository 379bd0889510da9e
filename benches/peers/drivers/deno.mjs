// Deno: a fresh `deno` process per run, without any permission; calls and outcomes are JSON lines over its pipes.

import { spawn, execFileSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { orSkip, servePeer } from "./serve.mjs";

await orSkip(async () => {
  const deno = fileURLToPath(new URL("../node_modules/deno/deno", import.meta.url));
  const version = execFileSync(deno, ["--version"], { encoding: "utf8" }).split(/\s/)[1];
  const child = fileURLToPath(new URL("deno-child.ts", import.meta.url));
  const flags = ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm", child];

  const start = (source, functions) => {
    const process = spawn(deno, flags, { stdio: ["pipe", "pipe", "inherit"] });
    process.stdin.write(`${JSON.stringify({ source, names: Object.keys(functions) })}\n`);
    return process;
  };

  const run = (source, functions) =>
    new Promise((resolve, reject) => {
      const process = start(source, functions);
      let done;
      createInterface({ input: process.stdout }).on("line", async (line) => {
        const message = JSON.parse(line);
        if ("done" in message) {
          done = message;
          process.stdin.end();
          return;
        }
        const value = await functions[message.name](message.argument);
        process.stdin.write(`${JSON.stringify({ id: message.id, value })}\n`);
      });
      process.on("error", reject);
      process.on("close", () => (done ? resolve(done.done) : reject(new Error("deno ended early"))));
    });

  const stop = (source, ms) =>
    new Promise((resolve) => {
      const process = start(source, {});
      process.on("close", resolve);
      setTimeout(() => process.kill("SIGKILL"), ms);
    });

  const parallel = async (source, functions, count) => {
    const lane = async (runs) => {
      for (let i = 0; i < runs; i++) await run(source, functions);
    };
    await Promise.all([lane(Math.ceil(count / 2)), lane(Math.floor(count / 2))]);
  };
  await servePeer({ run, stop, parallel }, `deno ${version}, a process per run`, ["js", "ts"]);
});
