// workerd with @cloudflare/codemode: a fresh dynamic Worker per run; the host is a Worker too (workerd-host.js).

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { orSkip, programs, report, serve } from "./serve.mjs";

const peers = new URL("../", import.meta.url);
const here = (path) => fileURLToPath(new URL(path, peers));

await orSkip(async () => {
  const require = createRequire(import.meta.url);
  const { version } = require("workerd/package.json");
  const codemode = "node_modules/@cloudflare/codemode/";
  const { version: codemodeVersion } = JSON.parse(readFileSync(here(`${codemode}package.json`), "utf8"));

  // Module names decide how imports resolve: the parts of the package are siblings of its entry.
  const modules = [
    ["host.js", "drivers/workerd-host.js"],
    ["works.mjs", "drivers/works.mjs"],
    ["acorn", "node_modules/acorn/dist/acorn.mjs"],
    ["@cloudflare/acorn", "node_modules/acorn/dist/acorn.mjs"],
    ["@cloudflare/codemode", `${codemode}dist/index.js`],
    ...readdirSync(here(`${codemode}dist`))
      .filter((name) => /-.*\.js$/.test(name))
      .map((name) => [`@cloudflare/${name}`, `${codemode}dist/${name}`]),
  ];
  mkdirSync(here("generated"), { recursive: true });
  writeFileSync(
    here("generated/workerd.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "host", worker = (
    compatibilityDate = "2025-06-01",
    compatibilityFlags = ["nodejs_compat"],
    modules = [${modules.map(([name, path]) => `(name = "${name}", esModule = embed "../${path}")`).join(",\n      ")}],
    bindings = [(name = "LOADER", workerLoader = ())],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "host")],
);
`,
  );
  const flags = ["serve", "--experimental", "--control-fd=3", here("generated/workerd.capnp")];
  const workerd = spawn(require("workerd").default, flags, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  process.on("exit", () => workerd.kill("SIGKILL"));
  const port = await new Promise((resolve, reject) => {
    workerd.on("exit", () => reject(new Error("workerd did not start")));
    workerd.stdio[3].on("data", (line) => {
      const message = JSON.parse(line);
      if (message.event === "listen") resolve(message.port);
    });
  });

  const agent = new Agent({ keepAlive: true });
  const ask = (message) =>
    new Promise((resolve, reject) => {
      const asking = request({ host: "127.0.0.1", port, method: "POST", agent }, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => {
          const answer = JSON.parse(Buffer.concat(parts).toString() || "{}");
          if (answer.error) reject(new Error(answer.error));
          else resolve(answer);
        });
      });
      asking.on("error", reject);
      asking.end(JSON.stringify(message));
    });

  const { works } = await ask({ programs: programs("js"), report: report() });
  const table = Object.fromEntries(works.map((work) => [work, (iterations) => ask({ work, iterations })]));
  table.p8 = async (count) => {
    ask({ work: "p8", iterations: count }).catch(() => {});
    for (;;) {
      const { value } = await ask({ work: "held" });
      if (value === count) return { value };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await serve(`workerd ${version}, @cloudflare/codemode ${codemodeVersion}`, table);
});
