// Runs one program inside of a `deno` process: see deno.mjs.

const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(
  new TransformStream<string, string>(
    (() => {
      let rest = "";
      return {
        transform(chunk, controller) {
          const parts = (rest + chunk).split("\n");
          rest = parts.pop()!;
          for (const part of parts) controller.enqueue(part);
        },
      };
    })(),
  ),
)[Symbol.asyncIterator]();

const encoder = new TextEncoder();
let unwritten = "";
let writing = false;
/** Lines of one turn go out in one write. */
async function say(message: unknown) {
  unwritten += `${JSON.stringify(message)}\n`;
  if (writing) return;
  writing = true;
  await null;
  while (unwritten) {
    let bytes = encoder.encode(unwritten);
    unwritten = "";
    while (bytes.length) bytes = bytes.subarray(await Deno.stdout.write(bytes));
  }
  writing = false;
}

const { source, names } = JSON.parse((await lines.next()).value);
const waiting = new Map<number, (value: unknown) => void>();
let last = 0;
const tools = Object.fromEntries(
  names.map((name: string) => [
    name,
    (argument: unknown) =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        say({ id: last, name, argument });
      }),
  ]),
);
(async () => {
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    const { id, value } = JSON.parse(line.value);
    waiting.get(id)!(value);
    waiting.delete(id);
  }
})();
// Deno strips types from modules; a module by URL is the door that needs no permission.
const module = `export default async (tools) => {\n${source}\n}`;
const { default: program } = await import(`data:application/typescript,${encodeURIComponent(module)}`);
await say({ done: await program(tools) });
