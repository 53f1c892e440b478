import { expect, test } from 'vitest';
import { scheduleFaults } from '../../soak/fault-schedule.ts';
import type { ProcessSample, Sample } from '../../soak/sampling.ts';
import { soakPlot } from '../../soak/soak-plot.ts';
import { soakTable } from '../../soak/soak-table.ts';

const state = (residentMb: number): ProcessSample => ({ residentMb, lagP99Ms: 21, lagMaxMs: 30.4 });
const sample = (atMs: number, accepted: number, processes: (ProcessSample | null)[]): Sample => ({
  atMs,
  totals: { accepted, delivered: accepted - 1, open: 1, duplicates: 0, errors: accepted / 10 },
  processes,
});

const RECORDING = {
  processes: ['api', 'worker'],
  faults: [{ fault: 'kill' as const, atMs: 70_000 }],
  samples: [
    sample(30_000, 100, [state(150), state(160)]),
    sample(59_000, 200, [state(170), state(165)]),
    sample(75_000, 260, [state(171), null]),
    sample(110_000, 300, [state(172), state(140)]),
  ],
};

const cells = (line: string | undefined): string[] =>
  (line ?? '')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

test('the table has counts within each interval, and the highest values of each process', () => {
  const [headings, , first, second, ...rest] = soakTable(RECORDING, 1).split('\n');
  expect(cells(headings)).toHaveLength(11);
  expect(cells(first)).toEqual(['1', '200', '199', '1', '0', '20', '170', '165', '21 / 30', '21 / 30', '']);
  expect(cells(second)).toEqual([
    '2',
    '100',
    '100',
    '1',
    '0',
    '10',
    '172',
    '140',
    '21 / 30',
    '21 / 30',
    'kill',
  ]);
  expect(rest).toEqual([]);
});

test('the table shows a process without samples as down', () => {
  const samples = [sample(1_000, 10, [state(150), null])];
  expect(cells(soakTable({ ...RECORDING, samples }, 5).split('\n')[2])[7]).toBe('down');
});

test('the plot interrupts the line of a process that is down, and marks the faults', () => {
  const svg = soakPlot({
    ...RECORDING,
    samples: [...RECORDING.samples, sample(115_000, 310, [state(172), state(141)])],
  });
  // Resident memory and lag: one line for the first process, two for the second; one for open events.
  expect(svg.match(/<polyline/g)).toHaveLength(7);
  expect(svg).toContain('>kill</text>');
  expect(svg).not.toContain('NaN');
});

test('every fault happens once in each ten minutes, and once in a shorter run', () => {
  const { faults, outageMs } = scheduleFaults(60 * 60_000);
  expect(outageMs).toBe(30_000);
  for (let period = 0; period < 6; period += 1) {
    const within = faults.filter(({ atMs }) => Math.floor(atMs / 600_000) === period);
    expect(within.map(({ fault }) => fault)).toEqual(['step-down', 'kill', 'outage']);
  }
  expect(faults).toHaveLength(18);
  const short = scheduleFaults(60_000);
  expect(short.faults.map(({ atMs }) => atMs)).toEqual([12_000, 27_000, 42_000]);
  expect(short.outageMs).toBe(10_000);
});
