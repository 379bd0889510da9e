// isolated-vm: a fresh V8 isolate per run, in Node.js.

import { createRequire } from "node:module";
import { orSkip, servePeer } from "./serve.mjs";

await orSkip(async () => {
  const { default: ivm } = await import("isolated-vm");
  const { version } = createRequire(import.meta.url)("isolated-vm/package.json");
  const options = { arguments: { copy: true }, result: { promise: true, copy: true } };

  // A tree comes in as JSON text: faster than `copy` for all but the smallest.
  const bridge = (body) =>
    new ivm.Reference((argument) => body(argument).then((value) => (value === null ? null : JSON.stringify(value))));
  const prelude = (names) =>
    `const tools = {}; const options = { arguments: { copy: true }, result: { promise: true, copy: true } };
     ${names.map((name, i) => `tools.${name} = async (a) => { const text = await $${i}.apply(undefined, [a], options); return text === null ? null : JSON.parse(text); };`).join("\n")}`;

  const run = async (source, functions) => {
    const isolate = new ivm.Isolate({ memoryLimit: 256 });
    const context = isolate.createContextSync();
    const code = `${prelude(Object.keys(functions))}\nreturn (async () => {\n${source}\n})()`;
    const references = Object.values(functions).map(bridge);
    const value = await context.evalClosure(code, references, { result: options.result });
    for (const reference of references) reference.release();
    isolate.dispose();
    return value;
  };

  const stop = async (source, ms) => {
    const isolate = new ivm.Isolate({ memoryLimit: 256 });
    const context = await isolate.createContext();
    try {
      await context.eval(source, { timeout: ms });
      throw new Error("the loop ended");
    } catch (error) {
      if (!/timed out/.test(error.message)) throw error;
    } finally {
      isolate.dispose();
    }
  };

  const parallel = async (source, functions, count) => {
    const lane = async (runs) => {
      for (let i = 0; i < runs; i++) await run(source, functions);
    };
    await Promise.all([lane(Math.ceil(count / 2)), lane(Math.floor(count / 2))]);
  };
  await servePeer({ run, stop, parallel }, `isolated-vm ${version} (Node.js ${process.versions.node})`);
});
