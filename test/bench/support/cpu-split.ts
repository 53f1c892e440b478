import type { CpuProfile } from './inspector.ts';

/**
 * Parts of the service by the files of their code, in the order in which a file is looked up. Time in Node.js itself
 * belongs to the part that called it.
 */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ['validation', /node_modules\/zod\/|plugin-zod\/|src\/http\/(input-|validation-)|src\/errors\//],
  ['GraphQL', /node_modules\/(graphql|@pothos|sofa-api|fets|@whatwg-node|@envelop|@graphql-)|\/schema\//],
  ['driver', /node_modules\/(mongodb|bson|mongoose)\/|src\/platform\/mongo\//],
  ['signing', /src\/features\/webhooks\/signature\//],
  ['sending', /node_modules\/undici\/|src\/outbound\/|src\/features\/webhooks\/delivery/],
  ['HTTP', /src\/http\/|src\/platform\/http\/|^node:_http_/],
];
const GARBAGE_COLLECTION = 'garbage collection';
const OTHER = 'other';

/** Returns the share of each part in the time of the main thread; idle time is in none. */
export function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const partOfNode = new Map<number, string | null>();

  /** Returns the part of the nearest frame that is in one. */
  function partOf(id: number): string | null {
    const known = partOfNode.get(id);
    if (known !== undefined) return known;
    const { functionName = '', url = '' } = byId.get(id)?.callFrame ?? {};
    const caller = callers.get(id);
    const own = PARTS.find(([, files]) => files.test(url))?.[0];
    const part =
      functionName === '(idle)'
        ? null
        : functionName === '(garbage collector)'
          ? GARBAGE_COLLECTION
          : (own ?? (caller === undefined ? OTHER : partOf(caller)));
    partOfNode.set(id, part);
    return part;
  }

  const times = new Map([...PARTS.map(([name]) => name), GARBAGE_COLLECTION, OTHER].map((name) => [name, 0]));
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const part = partOf(id);
    if (part === null) continue;
    const elapsed = timeDeltas[index] ?? 0;
    times.set(part, (times.get(part) ?? 0) + elapsed);
    total += elapsed;
  }
  return new Map([...times].map(([part, time]) => [part, time / total]));
}
