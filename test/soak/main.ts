import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULTS } from './fault-schedule.ts';
import { soak } from './run.ts';
import { soakPlot } from './soak-plot.ts';
import { soakTable } from './soak-table.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '50' },
    every: { type: 'string', default: '1' },
    out: { type: 'string', default: '.data/soak' },
  },
});
const [minutes, rate, every] = [values.minutes, values.rate, values.every].map(Number) as [
  number,
  number,
  number,
];
if (!(minutes > 0 && rate > 0 && every > 0)) {
  process.stderr.write('Usage: npm run soak -- [--minutes 60] [--rate 50] [--every 1] [--out .data/soak]\n');
  process.exit(64);
}
// Everything that was started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const print = (line: string) => process.stdout.write(`${line}\n`);
print(`${minutes} minutes, ${rate} events a second, faults: ${FAULTS.join(', ')}`);
const result = await soak({
  runMs: minutes * 60_000,
  rate,
  onFault: (fault) => print(`${new Date().toISOString()} ${fault}`),
});

const { ledger, processes, faults, samples } = result;
const { accepted, delivered, duplicates, errors } = ledger.totals();
const lost = ledger.lost();
const [committedTwice, unsigned] = [ledger.committedTwice(), ledger.unsigned()];
const summary = {
  accepted,
  delivered,
  lost: lost.length,
  duplicates,
  committedTwice,
  unsigned,
  unacknowledged: ledger.unacknowledged(),
  clientErrors: errors,
  errors: Object.fromEntries(ledger.errors()),
};
await mkdir(dirname(values.out), { recursive: true });
await writeFile(`${values.out}.svg`, soakPlot(result));
await writeFile(
  `${values.out}.json`,
  JSON.stringify({ minutes, rate, summary, lost, processes, faults, samples }),
);

print(`\n${soakTable(result, every)}\n`);
print(
  `accepted ${accepted}, delivered ${delivered}, lost ${lost.length}, duplicates ${duplicates}, committed twice ${committedTwice}, without a valid signature ${unsigned}, delivered though the client saw an error ${summary.unacknowledged}`,
);
print(
  `errors seen by clients: ${
    ledger
      .errors()
      .map(([reason, count]) => `${reason} ${count}`)
      .join(', ') || 'none'
  }`,
);
print(`plot and data: ${values.out}.svg, ${values.out}.json`);
process.exitCode = lost.length + committedTwice + unsigned > 0 ? 1 : 0;
