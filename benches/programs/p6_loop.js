let sum = 0;
for (let i = 0; i < 5000000; i++) sum = (sum + (i & 1023) * 3) % 1000003;
return sum;
