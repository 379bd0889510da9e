// node:vm: a fresh context per run in the host's own isolate. No boundary: Node.js says itself that it is not for untrusted code.

import vm from "node:vm";
import { servePeer } from "./serve.mjs";
import { wrapped } from "./works.mjs";

const run = (source, tools) => vm.runInContext(wrapped(source), vm.createContext({ tools }));

const stop = async (source, ms) => {
  try {
    vm.runInContext(source, vm.createContext({}), { timeout: ms });
  } catch (error) {
    if (error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return;
    throw error;
  }
  throw new Error("the loop ended");
};

await servePeer({ run, stop }, `node:vm (Node.js ${process.versions.node})`);
