const calls = [];
for (let i = 0; i < 10000; i++) calls.push(tools.noop({ i }));
return (await Promise.all(calls)).length;
