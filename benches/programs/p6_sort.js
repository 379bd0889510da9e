const numbers = [];
let state = 12345;
for (let i = 0; i < 200000; i++) {
  state = (state * 1103 + 12345) % 2097143;
  numbers.push(state);
}
numbers.sort((a, b) => a - b);
return numbers[1000] + numbers[150000];
