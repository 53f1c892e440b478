import type { ScheduledFault } from './fault-schedule.ts';
import type { ProcessSample, Sample } from './sampling.ts';

interface Recording {
  processes: string[];
  faults: ScheduledFault[];
  samples: Sample[];
}

const MINUTE_MS = 60_000;

/** Returns the samples of each interval, which ends with the sample at its end or the last one. */
function intervalsOf(samples: Sample[], everyMs: number): Sample[][] {
  return Object.values(Object.groupBy(samples, ({ atMs }) => Math.floor(atMs / everyMs))).map(
    (interval) => interval ?? [],
  );
}

const most = (values: number[]): string =>
  values.length > 0 ? String(Math.round(Math.max(...values))) : 'down';

/** Returns a Markdown table with a row per interval: counts within it, the state at its end, the highest of each process. */
export function soakTable({ processes, faults, samples }: Recording, everyMinutes: number): string {
  const everyMs = everyMinutes * MINUTE_MS;
  const headings = [
    'Minute',
    'Accepted',
    'Delivered',
    'Open',
    'Duplicates',
    'Client errors',
    ...processes.map((name) => `${name}, MB`),
    ...processes.map((name) => `${name}, lag p99 / max, ms`),
    'Faults',
  ];
  let before = { accepted: 0, delivered: 0, duplicates: 0, errors: 0 };
  const rows = intervalsOf(samples, everyMs).map((interval) => {
    const { atMs, totals } = interval.at(-1) as Sample;
    const index = Math.floor(atMs / everyMs);
    const of = (process: number, field: keyof ProcessSample) =>
      most(interval.flatMap((sample) => sample.processes[process]?.[field] ?? []));
    const row = [
      String((index + 1) * everyMinutes),
      String(totals.accepted - before.accepted),
      String(totals.delivered - before.delivered),
      String(totals.open),
      String(totals.duplicates - before.duplicates),
      String(totals.errors - before.errors),
      ...processes.map((_, process) => of(process, 'residentMb')),
      ...processes.map((_, process) => `${of(process, 'lagP99Ms')} / ${of(process, 'lagMaxMs')}`),
      faults
        .filter((each) => Math.floor(each.atMs / everyMs) === index)
        .map(({ fault }) => fault)
        .join(', '),
    ];
    before = totals;
    return row;
  });
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const padded = ([first, ...rest]: string[][]) => [
    line((first ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0))),
    line(widths.map((width) => '-'.repeat(width))),
    ...rest.map((row) => line(row.map((cell, column) => cell.padStart(widths[column] ?? 0)))),
  ];
  return padded(all).join('\n');
}
