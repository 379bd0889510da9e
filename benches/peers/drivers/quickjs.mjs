// quickjs-emscripten: QuickJS as WebAssembly in Node.js, on the host's own thread. A fresh runtime per run.

import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { createRequire } from "node:module";
import { orSkip, servePeer } from "./serve.mjs";
import { tools, wrapped } from "./works.mjs";

await orSkip(async () => {
  const { getQuickJS } = await import("quickjs-emscripten");
  const quickjs = await getQuickJS();
  const { version } = createRequire(import.meta.url)("quickjs-emscripten/package.json");

  const toHandle = (context, value) => {
    if (value === null) return context.null;
    if (typeof value === "number") return context.newNumber(value);
    // JSON text is the fastest way in for a tree.
    const text = context.newString(JSON.stringify(value));
    const json = context.getProp(context.global, "JSON");
    const parse = context.getProp(json, "parse");
    const parsed = context.unwrapResult(context.callFunction(parse, context.undefined, text));
    for (const handle of [text, json, parse]) handle.dispose();
    return parsed;
  };

  const run = async (source, functions) => {
    const runtime = quickjs.newRuntime();
    runtime.setMemoryLimit(256 << 20);
    const context = runtime.newContext();
    const object = context.newObject();
    for (const [name, body] of Object.entries(functions)) {
      const bridge = context.newFunction(name, (argument) => {
        const promise = context.newPromise();
        body(context.dump(argument)).then((value) => {
          const handle = toHandle(context, value);
          promise.resolve(handle);
          if (handle !== context.null) handle.dispose();
          promise.settled.then(() => context.alive && runtime.executePendingJobs());
        });
        return promise.handle;
      });
      context.setProp(object, name, bridge);
      bridge.dispose();
    }
    context.setProp(context.global, "tools", object);
    object.dispose();
    const promise = context.unwrapResult(context.evalCode(wrapped(source)));
    const settled = context.resolvePromise(promise);
    promise.dispose();
    runtime.executePendingJobs();
    const handle = context.unwrapResult(await settled);
    const value = context.dump(handle);
    handle.dispose();
    context.dispose();
    runtime.dispose();
    return value;
  };

  const stop = async (source, ms) => {
    const runtime = quickjs.newRuntime();
    const deadline = Date.now() + ms;
    runtime.setInterruptHandler(() => Date.now() >= deadline);
    const context = runtime.newContext();
    const result = context.evalCode(source);
    if (!result.error) throw new Error("the loop ended");
    result.error.dispose();
    context.dispose();
    runtime.dispose();
  };

  if (!isMainThread) {
    const shared = tools(null);
    parentPort.on("message", async (count) => {
      for (let i = 0; i < count; i++) await run(workerData, shared);
      parentPort.postMessage(count);
    });
    return;
  }
  let helpers;
  const parallel = (source, _tools, count) => {
    helpers ??= [0, 1].map(() => new Worker(new URL(import.meta.url), { workerData: source }));
    const each = helpers.map(
      (helper) =>
        new Promise((resolve) => {
          helper.once("message", resolve);
          helper.postMessage(Math.ceil(count / helpers.length));
        }),
    );
    return Promise.all(each);
  };
  await servePeer({ run, stop, parallel }, `quickjs-emscripten ${version}`);
});
