const line = "On 2026-03-14 ada.lovelace@example.com wrote to grace_hopper@navy.mil about order #48151 (total: 62.50 EUR).\n";
const text = line.repeat(Math.ceil(1000000 / line.length));
let found = 0;
for (const match of text.matchAll(/\b([\w.]+)@(\w+)\.(com|mil)\b/g)) found += match[1].length;
return found;
