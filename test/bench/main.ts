import { parseArgs } from 'node:util';
import { accept } from './accept.ts';
import { bytes } from './bytes.ts';
import { claim } from './claim.ts';
import { consoleClicks } from './console.ts';
import { conversations } from './conversations.ts';
import { deliver } from './deliver.ts';
import { drift } from './drift.ts';
import { encryption } from './encryption.ts';
import { explain } from './explain.ts';
import { exports } from './export.ts';
import { fairness } from './fairness.ts';
import { feed } from './feed.ts';
import { flat } from './flat.ts';
import { hostile } from './hostile.ts';
import { idle } from './idle.ts';
import { list } from './list.ts';
import { meetingSearch } from './meeting-search.ts';
import { meetings } from './meetings.ts';
import { neighbours } from './neighbours.ts';
import { ordering } from './ordering.ts';
import { reprojection } from './reprojection.ts';
import { retention } from './retention.ts';
import { sidecar } from './sidecar.ts';
import { steering } from './steering.ts';
import { type Figure, type Report, table } from './support/report.ts';
import { workers } from './workers.ts';

/** Time limit of a benchmark, for one that hangs rather than one that is slow. */
const LIMIT_MS = 420_000;

interface Options {
  /** Duration of the soak after `hostile`. */
  minutes: number;
  /** Rows in the large database of `flat` and `explain`, or of each set of `sidecar`; undefined for their defaults. */
  rows: number | undefined;
  /** Directory that keeps that database; null for a temporary one. */
  data: string | null;
}

/** Rows for the time limit of a benchmark without `--rows`. */
const DEFAULT_ROWS = 1_000_000;
/** Time to store one row, and to export and import it again. */
const ROW_MS = 1.5;

const BENCHES: Record<string, (options: Options) => Promise<Figure[]>> = {
  accept,
  encryption,
  idle,
  deliver,
  steering,
  claim,
  bytes,
  list,
  conversations,
  fairness,
  neighbours,
  ordering,
  feed,
  explain,
  hostile,
  sidecar,
  drift,
  meetings,
  'meeting-search': meetingSearch,
  reprojection,
  retention,
  console: consoleClicks,
  export: exports,
  flat,
  workers,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '0' },
    rows: { type: 'string' },
    data: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const rows = values.rows === undefined ? undefined : Number(values.rows);
const limitMs = LIMIT_MS + 2 * minutes * 60_000 + (rows ?? DEFAULT_ROWS) * ROW_MS;
const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(', ')}. Benchmarks: ${Object.keys(BENCHES).join(', ')}.\n`);
  process.exit(64);
}
// Everything that was started ends with this process, however it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const reports: Report[] = [];
for (const bench of positionals.length > 0 ? positionals : Object.keys(BENCHES)) {
  const startedAt = performance.now();
  const limit = setTimeout(() => {
    process.stderr.write(`${bench} exceeded its time limit of ${limitMs / 1000} s.\n`);
    process.exit(1);
  }, limitMs);
  const figures = (await BENCHES[bench]?.({ minutes, rows, data: values.data ?? null })) ?? [];
  clearTimeout(limit);
  const report = { bench, figures, seconds: (performance.now() - startedAt) / 1000 };
  reports.push(report);
  process.stdout.write(`${table(report)}\n`);
}
if (values.json) process.stdout.write(`${JSON.stringify(reports)}\n`);
