import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULTS, FURTHER_FAULTS } from './fault-schedule.ts';
import { soak } from './run.ts';
import { soakPlot } from './soak-plot.ts';
import { soakTable } from './soak-table.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '50' },
    every: { type: 'string', default: '1' },
    faults: { type: 'boolean', default: false },
    out: { type: 'string', default: '.data/soak' },
  },
});
const [minutes, rate, every] = [values.minutes, values.rate, values.every].map(Number) as [
  number,
  number,
  number,
];
if (!(minutes > 0 && rate > 0 && every > 0)) {
  process.stderr.write(
    'Usage: npm run soak -- [--minutes 60] [--rate 50] [--every 1] [--faults] [--out .data/soak]\n',
  );
  process.exit(64);
}
// Everything that was started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const print = (line: string) => process.stdout.write(`${line}\n`);
print(
  `${minutes} minutes, ${rate} events a second, faults: ${[...FAULTS, ...(values.faults ? FURTHER_FAULTS : [])].join(', ')}`,
);
const result = await soak({
  runMs: minutes * 60_000,
  rate,
  allFaults: values.faults,
  onFault: (fault) => print(`${new Date().toISOString()} ${fault}`),
});

const { ledger, processes, faults, samples, audit } = result;
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
  audit,
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
print(
  `deliveries ${audit.deliveries}: ${Object.entries(audit.statuses)
    .map(([status, count]) => `${status} ${count}`)
    .join(
      ', ',
    )}; requests received ${audit.received}, attempts logged ${audit.logged}, received and not logged ${audit.unlogged}, logged with a response and not received ${audit.invented}, failed after a 2xx ${audit.hidden.length}, succeeded without one ${audit.unfounded.length}, open ${audit.open.length}`,
);
print(
  `duplicates by the fault before them: ${
    Object.entries(audit.duplicates)
      .map(([fault, count]) => `${fault} ${count}`)
      .join(', ') || 'none'
  }`,
);
print(`plot and data: ${values.out}.svg, ${values.out}.json`);
const wrong = audit.invented + audit.hidden.length + audit.unfounded.length + audit.open.length;
process.exitCode = lost.length + committedTwice + unsigned + wrong > 0 ? 1 : 0;
