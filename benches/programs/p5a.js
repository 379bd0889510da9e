const { rows } = await tools.report({});
let sum = 0;
for (const row of rows) sum += row.price * row.quantity;
return Math.round(sum);
