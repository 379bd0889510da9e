interface User { id: number; name: string; email?: string; tags: readonly string[] }
type Outcome<T> = { ok: true; value: T } | { ok: false; error: string };
type Mapper<A, B> = (a: A) => B;
declare const tools: Record<string, (args: unknown) => Promise<any>>;

async function users(paths: string[]): Promise<User[]> {
  const texts = await Promise.all(paths.map((path: string) => tools.read_file({ path })));
  return texts.flatMap((text) => JSON.parse(text.content) as User[]);
}

function group<T, K extends string>(items: readonly T[], key: Mapper<T, K>): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const list: T[] = groups.get(key(item)!) ?? [];
    list.push(item);
    groups.set(key(item), list);
  }
  return groups;
}

class Counter<T extends object> {
  private readonly counts: Map<string, number> = new Map();
  label?: string;
  constructor(label: string, limit?: number) { this.label = label; }
  add(key: string, by: number = 1): this {
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
    return this;
  }
  get total(): number { let sum = 0; for (const count of this.counts.values()) sum += count; return sum; }
}

function attempt<T>(body: () => T): Outcome<T> {
  try { return { ok: true, value: body() }; }
  catch (error: unknown) { return { ok: false, error: (error as Error).message }; }
}

const counter = new Counter<User>('domains');
for (const [domain, members] of group(await users(['a.json', 'b.json']), (user) => (user.email ?? 'none').split('@')[1])) {
  counter.add(domain, members.length);
}
const outcome = attempt<number>(() => counter.total);
if (!outcome.ok) throw new Error(outcome.error);
const summary = { label: counter.label, level: outcome.value > 10 ? 'high' : 'low' } satisfies object;
console.log(`total ${outcome.value}`, /\d+/.test(String(outcome.value)));
return summary;
