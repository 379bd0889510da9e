// node worker_threads: a fresh worker per run. A thread and a heap of its own; the program still has all of Node.js.

import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { servePeer } from "./serve.mjs";

const AsyncFunction = (async () => {}).constructor;

if (isMainThread) {
  const start = (source, functions) =>
    new Worker(new URL(import.meta.url), {
      workerData: { source, names: Object.keys(functions) },
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });

  const run = (source, functions) =>
    new Promise((resolve, reject) => {
      const worker = start(source, functions);
      worker.on("error", reject);
      worker.on("message", async (message) => {
        if ("done" in message) {
          await worker.terminate();
          resolve(message.done);
        } else {
          worker.postMessage({ id: message.id, value: await functions[message.name](message.argument) });
        }
      });
    });

  const stop = async (source, ms) => {
    const worker = start(source, {});
    await new Promise((resolve) => setTimeout(resolve, ms));
    await worker.terminate();
  };

  const parallel = async (source, functions, count) => {
    const lane = async (runs) => {
      for (let i = 0; i < runs; i++) await run(source, functions);
    };
    await Promise.all([lane(Math.ceil(count / 2)), lane(Math.floor(count / 2))]);
  };
  await servePeer({ run, stop, parallel }, `worker_threads (Node.js ${process.versions.node})`);
} else {
  const waiting = new Map();
  let last = 0;
  parentPort.on("message", ({ id, value }) => {
    waiting.get(id)(value);
    waiting.delete(id);
  });
  const tools = Object.fromEntries(
    workerData.names.map((name) => [
      name,
      (argument) =>
        new Promise((resolve) => {
          last += 1;
          waiting.set(last, resolve);
          parentPort.postMessage({ id: last, name, argument });
        }),
    ]),
  );
  parentPort.postMessage({ done: await new AsyncFunction("tools", workerData.source)(tools) });
}
