import { parseArgs } from 'node:util';
import { accept } from './accept.ts';
import { claim } from './claim.ts';
import { conversations } from './conversations.ts';
import { deliver } from './deliver.ts';
import { fairness } from './fairness.ts';
import { list } from './list.ts';
import { meetings } from './meetings.ts';
import { neighbours } from './neighbours.ts';
import { sidecar } from './sidecar.ts';
import { type Figure, type Report, table } from './support/report.ts';

/** Each is given up after this long: something is wrong then, not slow. */
const LIMIT_MS = 180_000;

const BENCHES: Record<string, () => Promise<Figure[]>> = {
  accept,
  deliver,
  claim,
  list,
  conversations,
  fairness,
  neighbours,
  sidecar,
  meetings,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.\n`);
  process.exit(64);
}
// Everything that was started ends with this process, however it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const reports: Report[] = [];
for (const bench of positionals.length > 0 ? positionals : Object.keys(BENCHES)) {
  const startedAt = performance.now();
  const limit = setTimeout(() => {
    process.stderr.write(`${bench} took longer than ${LIMIT_MS / 1000} s.\n`);
    process.exit(1);
  }, LIMIT_MS);
  const figures = (await BENCHES[bench]?.()) ?? [];
  clearTimeout(limit);
  const report = { bench, figures, seconds: (performance.now() - startedAt) / 1000 };
  reports.push(report);
  process.stdout.write(`${table(report)}\n`);
}
if (values.json) process.stdout.write(`${JSON.stringify(reports)}\n`);
