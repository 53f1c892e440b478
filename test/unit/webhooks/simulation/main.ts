import { parseArgs } from 'node:util';
import { simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    /** Replays one seed and prints what happened. */
    seed: { type: 'string' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);

if (values.seed === undefined) {
  const [from, seeds] = [Number(values.from), Number(values.seeds)];
  const totals = { found: 0, accepted: 0, requests: 0, probes: 0, duplicates: 0 };
  const startedAt = performance.now();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { findings, accepted, requests, probes, duplicates } = await simulate(seed);
    totals.accepted += accepted;
    totals.requests += requests;
    totals.probes += probes;
    totals.duplicates += duplicates;
    if (findings.length === 0) continue;
    totals.found += 1;
    const kinds = new Set(findings.map((finding) => finding.split(': ', 2)[1]));
    print(`seed ${seed}: [${[...kinds].join()}] ${findings[0]?.split('\n', 1)[0]}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  print(
    `${seeds} seeds from ${from} in ${seconds.toFixed(0)} s (${(seeds / seconds).toFixed(0)} a second): ${totals.found} with a finding; ${totals.accepted} events, ${totals.requests} requests, ${totals.probes} probes, ${totals.duplicates} duplicates`,
  );
  process.exitCode = totals.found > 0 ? 1 : 0;
} else {
  const { findings, trace } = await simulate(Number(values.seed), { traces: true });
  for (const line of trace) print(line);
  for (const finding of findings) print(`FOUND ${finding}`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
