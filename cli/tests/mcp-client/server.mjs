// A small MCP server over stdio, by the official TypeScript SDK.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "small", version: "1.0.0" });
server.registerTool(
  "add",
  {
    description: "Adds two numbers.",
    inputSchema: { a: z.number().int(), b: z.number().int() },
    outputSchema: { sum: z.number().int() },
    annotations: { readOnlyHint: true },
  },
  ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }),
);
server.registerTool(
  "remove",
  { description: "Removes a file.", inputSchema: { path: z.string() } },
  ({ path }) => ({ content: [{ type: "text", text: `removed ${path}` }] }),
);
server.registerTool("slow", { description: "Takes a minute.", inputSchema: {} }, async (_, { signal }) => {
  await new Promise((done) => {
    const timer = setTimeout(done, 60_000);
    signal.addEventListener("abort", () => (clearTimeout(timer), process.stderr.write("slow was cancelled\n"), done()));
  });
  return { content: [{ type: "text", text: "late" }] };
});
server.registerTool("draw", { description: "Draws a dot.", inputSchema: {} }, () => ({
  content: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
}));
await server.connect(new StdioServerTransport());
