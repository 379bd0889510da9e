const parts = [];
for (let i = 0; i < 10; i++) {
  parts.push(`{"id":${i},"name":"Product number ${i}","price":${i}.25,"quantity":${i * 3},"tags":["red","blue",null,true],` +
    `"note":"A line of text with \\"quotes\\", an \\u00e9 and a line feed\\n; it goes on for a while, as notes do, to the end."}`);
}
const chunk = parts.join(",");
const text = "[" + new Array(540).fill(chunk).join(",") + "]";
const value = JSON.parse(text);
return JSON.stringify(value).length > 1000000 ? value.length : -1;
