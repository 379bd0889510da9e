const calls = [];
for (let i = 0; i < 100; i++) calls.push(tools.sleep({ ms: 10 }));
return (await Promise.all(calls)).length;
