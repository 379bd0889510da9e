// Drives `lockgate mcp` as an agent would, by the official TypeScript SDK: `client.mjs stdio COMMAND ARGS…` or
// `client.mjs http URL TOKEN`. Prints what it saw as one JSON object.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [kind, target, ...rest] = process.argv.slice(2);
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: target, args: rest, stderr: "inherit" })
    : new StreamableHTTPClientTransport(new URL(target), {
        requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
      });

const client = new Client({ name: "typescript-test", version: "1.0.0" }, { capabilities: { elicitation: {} } });
const seen = { forms: [], logs: [], changed: 0 };
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  seen.forms.push(params.message);
  const [, first] = Object.keys(params.requestedSchema.properties).filter((name) => name !== "reason");
  return first
    ? { action: "accept", content: { decision: "allow those ticked below", [first]: true } }
    : { action: "accept", content: { decision: "allow" } };
});
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void seen.logs.push(params.data));
client.setNotificationHandler(ToolListChangedNotificationSchema, () => void seen.changed++);
await client.connect(transport);

const run = (code, options) =>
  client.callTool({ name: "run_code", arguments: { code, description: "a test" } }, undefined, options);

const { tools } = await client.listTools();
seen.server = client.getServerVersion().name;
seen.tools = tools.map((tool) => tool.name);
seen.declares = ["add", "remove", "slow", "draw"].every((name) => tools[0].description.includes(`${name}: {`));
await client.setLoggingLevel("info");

const progress = [];
// The program waits a while at its end: this client drops what it was told together with the result.
const sum = `console.log("adding"); const all = await Promise.all([1, 2, 3].map((a) => tools.add({ a, b: 1 })));
  await new Promise((done) => setTimeout(done, 1500)); return all.map((one) => one.sum);`;
seen.sum = await run(sum, {
  onprogress: ({ progress: number }) => progress.push(number),
});
seen.progress = progress;
seen.failed = await run("return await tools.add({ a: 'x' })");
seen.drawn = await run("await tools.draw({}); return 'done'");
seen.approved = await run("return await tools.remove({ path: 'one' })");
seen.chosen = await run(
  "const all = await Promise.allSettled(['a', 'b'].map((path) => tools.remove({ path }))); return all.map((one) => one.status);",
);
seen.denied = await run("return await tools.remove({ path: '/etc/passwd' })");

const controller = new AbortController();
const cancelled = run("await tools.slow({})", { signal: controller.signal }).then(
  () => "answered",
  () => "cancelled",
);
setTimeout(() => controller.abort("enough"), 1_000);
seen.cancelled = await cancelled;
seen.after = await run("return 'still there'");

const { resources } = await client.listResources();
seen.resources = resources.map((resource) => resource.uri);
const trace = await client.readResource({ uri: resources.at(-1).uri });
seen.trace = trace.contents[0].text.trim().split("\n").map((line) => JSON.parse(line).type);
console.log(JSON.stringify(seen));
await client.close();
