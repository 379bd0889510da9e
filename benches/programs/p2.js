for (let i = 0; i < 10000; i++) await tools.noop({ i });
return 10000;
