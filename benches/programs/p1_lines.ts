// Fifty lines of the TypeScript that a model writes, without a call: what is measured is the way to its result.
interface Order {
  id: number;
  customer: string;
  lines: OrderLine[];
  status: "open" | "paid" | "cancelled";
}

interface OrderLine {
  product: string;
  quantity: number;
  price: number;
}

type Totals = Record<string, { orders: number; revenue: number }>;

const orders: Order[] = [
  { id: 1, customer: "ada", status: "paid", lines: [{ product: "lamp", quantity: 2, price: 30 }] },
  { id: 2, customer: "grace", status: "open", lines: [{ product: "desk", quantity: 1, price: 250 }] },
  { id: 3, customer: "ada", status: "paid", lines: [{ product: "chair", quantity: 4, price: 75.5 }] },
];

function total(order: Order): number {
  return order.lines.reduce((sum: number, line: OrderLine) => sum + line.quantity * line.price, 0);
}

function summarise(list: readonly Order[], wanted: Order["status"]): Totals {
  const totals: Totals = {};
  for (const order of list) {
    if (order.status !== wanted) continue;
    const entry = (totals[order.customer] ??= { orders: 0, revenue: 0 });
    entry.orders += 1;
    entry.revenue += total(order);
  }
  return totals;
}

const best = <T,>(items: T[], score: (item: T) => number): T | undefined => {
  let winner: T | undefined;
  for (const item of items) {
    if (winner === undefined || score(item) > score(winner)) winner = item;
  }
  return winner;
};

// Who brought in the most?
const paid = summarise(orders, "paid");
const customers = Object.keys(paid) as string[];
const top = best(customers, (name) => paid[name]!.revenue);
return top === "ada" ? Math.round(paid[top]!.revenue) : (-1 satisfies number);
