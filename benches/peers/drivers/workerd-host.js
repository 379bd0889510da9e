// The host inside of workerd: runs each program by the executor of @cloudflare/codemode, a fresh dynamic Worker per run.

import { DynamicWorkerExecutor } from "@cloudflare/codemode";
import { works } from "./works.mjs";

let table;
let held = 0;

export default {
  async fetch(request, env, context) {
    const message = await request.json();
    if (message.programs) {
      const executor = new DynamicWorkerExecutor({ loader: env.LOADER });
      const run = async (source, fns) => {
        const { result, error } = await executor.execute(`async () => {\n${source}\n}`, [{ name: "tools", fns }]);
        if (error) throw new Error(error);
        return result;
      };
      const parallel = async (source, fns, count) => {
        const lane = async (runs) => {
          for (let i = 0; i < runs; i++) await run(source, fns);
        };
        await Promise.all([lane(Math.ceil(count / 2)), lane(Math.floor(count / 2))]);
      };
      const stop = async (source, timeout) => {
        const impatient = new DynamicWorkerExecutor({ loader: env.LOADER, timeout });
        const { error } = await impatient.execute(`async () => {\n${source}\n}`, [{ name: "tools", fns: {} }]);
        if (!error) throw new Error("the loop ended");
      };
      table = works({ run, stop, parallel }, message.programs, message.report);
      return Response.json({ works: Object.keys(table) });
    }
    try {
      if (message.work === "p8") {
        // The runs live as long as this request does.
        const holding = table.p8(message.iterations).then((done) => {
          held = done.value;
        });
        await holding;
        await new Promise(() => setInterval(() => {}, 1000));
      }
      if (message.work === "held") return Response.json({ value: held });
      return Response.json(await table[message.work](message.iterations));
    } catch (error) {
      return Response.json({ error: String(error?.message ?? error) });
    }
  },
};
