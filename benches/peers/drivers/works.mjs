// The works of the comparison for a JavaScript peer: what each runs, given how the peer runs one program.
//
// Pure JavaScript without imports, for workerd embeds it.

/** At most this many bodies of `sleep` at one time, as Lockgate's scheduler has by default. */
const LANES = 10;

/** The tools of the programs; each is async, as a tool is. `onHang` sees each call that never ends. */
export function tools(report, onHang = () => {}) {
  let running = 0;
  const queue = [];
  const release = () => {
    running -= 1;
    queue.shift()?.();
  };
  return {
    noop: async () => null,
    report: async () => report,
    sleep: async ({ ms }) => {
      if (running >= LANES) await new Promise((resolve) => queue.push(resolve));
      running += 1;
      await new Promise((resolve) => setTimeout(resolve, ms));
      release();
      return null;
    },
    hang: () => {
      onHang();
      return new Promise(() => {});
    },
  };
}

/**
 * @param peer what the peer can do:
 *   run(source, tools): runs the body of an async function in a fresh sandbox and gives its value;
 *   stop(source, ms): runs a program that never ends and comes back when it was stopped after `ms`;
 *   parallel(source, tools, count): runs a program `count` times, as many at one time as there are cores.
 */
export function works(peer, programs, report) {
  const shared = tools(report);
  const repeat = (source) => async (iterations) => {
    let value;
    for (let i = 0; i < iterations; i++) value = await peer.run(source, shared);
    return { value };
  };
  const all = {};
  for (const [work, source] of Object.entries(programs)) all[work] = repeat(source);
  // What the lanes alone cost: the same calls, made by the host.
  all.p4_host = async (iterations) => {
    for (let i = 0; i < iterations; i++) {
      await Promise.all(Array.from({ length: 100 }, () => shared.sleep({ ms: 10 })));
    }
    return { value: 100 };
  };
  all.p8 = (count) =>
    new Promise((resolve, reject) => {
      let hanging = 0;
      const held = tools(report, () => {
        hanging += 1;
        if (hanging === count) resolve({ value: count });
      });
      for (let i = 0; i < count; i++) peer.run(programs.p8, held).catch(reject);
    });
  delete all.p7;
  if (peer.stop) all.p7 = (iterations) => stops(peer, programs.p7, iterations);
  delete all.p9;
  if (peer.parallel) {
    all.p9 = async (iterations) => {
      await peer.parallel(programs.p1, shared, iterations);
      return { value: 2 };
    };
  }
  return all;
}

/** How late a hot loop is stopped, and for how long the host answered nothing meanwhile. */
async function stops(peer, source, iterations) {
  const LIMIT_MS = 100;
  const late = [];
  let gap = 0;
  for (let i = 0; i < iterations; i++) {
    let last = performance.now();
    const ticking = setInterval(() => {
      const now = performance.now();
      gap = Math.max(gap, now - last - 1);
      last = now;
    }, 1);
    const began = performance.now();
    await peer.stop(source, LIMIT_MS);
    late.push(performance.now() - began - LIMIT_MS);
    gap = Math.max(gap, performance.now() - last - 1);
    clearInterval(ticking);
  }
  late.sort((a, b) => a - b);
  return { value: 0, late_ms: late[late.length >> 1], gap_ms: gap };
}

/** The body of an async function over `tools`, as source of an expression that gives its promise. */
export function wrapped(source) {
  return `(async () => {\n${source}\n})()`;
}
