
"use strict";
// Draws the runs of the trace. Every text goes in as text, never as markup.
const { title, runs } = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const ROWS = 500;

const SVG = "http://www.w3.org/2000/svg";
const put = (parent, name, attributes = {}, ...children) => {
  const svg = name === "svg" || parent.namespaceURI === SVG;
  const node = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  parent.append(node);
  return node;
};
const time = (ms) => {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 100) return `${ms.toFixed(0)} ms`;
  if (ms >= 1) return `${ms.toFixed(1)} ms`;
  return `${(ms * 1000).toFixed(0)} µs`;
};
const bytes = (count) => {
  if (count >= 1 << 20) return `${(count / (1 << 20)).toFixed(1)} MiB`;
  if (count >= 1024) return `${(count / 1024).toFixed(1)} KiB`;
  return `${count} B`;
};

/** The parts of a call in order: where each begins, how long it takes, and what it is. */
const parts = (call, end) => {
  const stop = call.ended ?? end;
  const bodyAt = Math.min(call.began + call.policy, stop);
  const commitAt = call.status === "running" ? stop : Math.min(bodyAt + call.body, stop);
  const body = call.failed ? "fail" : call.exclusive ? "barrier" : "body";
  return [
    { kind: "wait", from: call.began - call.waited, to: call.began },
    { kind: "policy", from: call.began, to: bodyAt },
    { kind: body, from: bodyAt, to: commitAt },
    { kind: "commit", from: commitAt, to: stop },
  ].filter((part) => part.to > part.from);
};

/** The latest moment that is known of a run. */
const endOf = (run) =>
  run.calls.reduce((end, call) => Math.max(end, call.ended ?? call.began), run.ended ?? 0) || 1e-3;

/** A step of 1, 2 or 5 that gives about eight lines. */
const step = (end) => {
  const power = 10 ** Math.floor(Math.log10(end / 8));
  return [1, 2, 5, 10].map((factor) => factor * power).find((width) => end / width <= 8);
};

const bar = (svg, part, scale, y, height) => {
  const width = Math.max((part.to - part.from) * scale, 0.75);
  return put(svg, "rect", { class: `fill-${part.kind}`, x: part.from * scale, y, width, height, "data-kind": part.kind });
};

const drawLanes = (parent, run, end) => {
  const WIDTH = 1150, LANE = 14, TOP = 18;
  const height = TOP + run.lanes * LANE + 4;
  const scale = WIDTH / end;
  const svg = put(parent, "svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "lanes", role: "img", "aria-label": `${run.calls.length} calls in ${run.lanes} lanes` });
  const width = step(end);
  for (let at = 0; at <= end; at += width) {
    put(svg, "line", { class: "grid", x1: at * scale, x2: at * scale, y1: TOP - 4, y2: height });
    if (at * scale < WIDTH - 50) put(svg, "text", { x: at * scale + 2, y: 11 }, time(at));
  }
  for (const call of run.calls) {
    const y = TOP + call.lane * LANE;
    if (call.exclusive) {
      const stop = call.ended ?? end;
      put(svg, "rect", { class: "barrier-band", x: call.began * scale, y: TOP, width: Math.max((stop - call.began) * scale, 0.75), height: height - TOP });
    }
    for (const part of parts(call, end)) {
      if (part.kind === "wait") continue;
      put(bar(svg, part, scale, y, LANE - 3), "title", {}, `${call.name} · ${call.id} · ${part.kind} ${time(part.to - part.from)}`);
    }
  }
};

const drawCall = (parent, run, call, end) => {
  const row = put(parent, "details", { class: "call", "data-call": call.id });
  const line = put(row, "summary");
  put(line, "span", { class: "number", title: "lane" }, String(call.lane + 1));
  put(line, "span", { class: "name", title: call.name }, call.name);
  put(line, "span", { class: call.failed ? "status bad" : "status dim" }, call.status.replaceAll("_", " "));
  const svg = put(line, "svg", { viewBox: "0 0 1000 14", preserveAspectRatio: "none", height: 14, "aria-hidden": "true" });
  for (const part of parts(call, end)) bar(svg, part, 1000 / end, 2, 10);
  const took = call.ended === null ? "running" : time(call.ended - call.began + call.waited);
  put(line, "span", { class: "number" }, took);
  row.addEventListener("toggle", () => {
    if (!row.open || row.children.length > 1) return;
    const detail = put(row, "div", { class: "detail" });
    const where = parts(call, end).map((part) => `${{ wait: "waited", policy: "policy", commit: "commit" }[part.kind] ?? "body"} ${time(part.to - part.from)}`);
    put(detail, "p", { class: "dim" }, `${call.id} · ${call.exclusive ? "ran alone" : `lane ${call.lane + 1}`} · began at ${time(call.began)} · ${where.join(", ")}`);
    put(detail, "pre", {}, call.arguments);
    if (call.outcome) put(detail, "pre", call.failed ? { class: "bad" } : {}, call.outcome);
  });
};

const drawCalls = (parent, run, end) => {
  const tools = put(parent, "div", { class: "tools" });
  const filter = put(tools, "input", { type: "search", placeholder: "name of a tool", "aria-label": "show only calls of tools whose name holds this" });
  const failed = put(put(tools, "label", {}), "input", { type: "checkbox" });
  failed.parentNode.append(" failed only");
  const count = put(tools, "span", { class: "dim" });
  const list = put(parent, "div", { class: "calls" });
  const more = put(parent, "button", {}, "show more");
  let shown = ROWS;
  const draw = () => {
    const wanted = run.calls.filter((call) => call.name.includes(filter.value) && (call.failed || !failed.checked));
    list.replaceChildren();
    for (const call of wanted.slice(0, shown)) drawCall(list, run, call, end);
    count.textContent = `${Math.min(shown, wanted.length)} of ${wanted.length} calls`;
    more.hidden = shown >= wanted.length;
  };
  const fresh = () => { shown = ROWS; draw(); };
  filter.addEventListener("input", fresh);
  failed.addEventListener("change", fresh);
  more.addEventListener("click", () => { shown += ROWS; draw(); });
  draw();
};

const drawRun = (run) => {
  const section = put(page, "section", { "data-run": run.id });
  const end = endOf(run);
  put(section, "h2", {}, run.description ? `${run.name}: ${run.description}` : run.name);
  const failure = run.program?.failure;
  const outcome = run.ended === null ? "did not end" : run.error === null ? "succeeded" : failure ? `failed: ${failure.kind}${failure.limit ? ` (${failure.limit})` : ""}` : "failed";
  const facts = put(section, "ul", { class: "facts" });
  const fact = (label, value) => {
    const item = put(facts, "li");
    put(item, "b", {}, String(value));
    item.append(` ${label}`);
  };
  put(facts, "li", { class: run.error === null ? "" : "bad" }, outcome);
  fact("in all", time(end));
  const usage = run.program?.usage;
  if (usage) {
    fact("computing", time(usage.compute_ms));
    fact("memory", bytes(usage.memory_bytes));
    fact("in", bytes(usage.bytes_in));
    fact("out", bytes(usage.bytes_out));
    fact("printed", bytes(usage.log_bytes));
  }
  const counts = run.program?.counts;
  if (counts) for (const [label, value] of Object.entries(counts)) if (value) fact(label.replaceAll("_", " "), value);
  if (run.error !== null) put(section, "pre", { class: "bad" }, failure?.message ?? run.error);
  if (run.calls.length > 0) {
    const legend = put(section, "ul", { class: "legend" });
    for (const [kind, label] of [["wait", "waits in the queue"], ["policy", "policy, or waits for its lane"], ["body", "body"], ["barrier", "body that runs alone (barrier)"], ["fail", "body that failed"], ["commit", "commit"]]) {
      const item = put(legend, "li");
      put(item, "i", { class: `fill-${kind}` });
      item.append(label);
    }
    put(section, "h3", {}, `Lanes (${run.lanes})`);
    drawLanes(section, run, end);
    put(section, "h3", {}, "Calls");
    drawCalls(section, run, end);
  }
  const fold = (label, text) => {
    if (!text) return;
    const details = put(section, "details");
    put(details, "summary", {}, label);
    put(details, "pre", {}, text);
  };
  fold("Program", run.source);
  fold("Arguments", run.arguments);
  fold("Printed", run.program?.logs);
  fold("Result", run.text);
};

document.title = `${title} · Lockgate trace`;
put(page, "h1", {}, title);
put(page, "p", { class: "dim" }, `${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${runs.reduce((sum, run) => sum + run.calls.length, 0)} calls`);
runs.forEach(drawRun);
document.documentElement.dataset.drawn = "yes";
