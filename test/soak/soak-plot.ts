import type { ScheduledFault } from './fault-schedule.ts';
import type { Sample } from './sampling.ts';

const WIDTH = 960;
const LEFT = 70;
const RIGHT = 20;
const PANEL_HEIGHT = 150;
const PANEL_GAP = 50;
const TOP = 60;
const COLOURS = ['#0969da', '#1a7f37', '#bc4c00', '#8250df'];
const FAULT_COLOUR = '#cf222e';
const MINUTE_MS = 60_000;

interface Panel {
  title: string;
  /** Values in the order of the samples; null where there is none. */
  lines: { name: string; values: (number | null)[] }[];
}

interface Recording {
  processes: string[];
  faults: ScheduledFault[];
  samples: Sample[];
}

/** Rounds up to a number that is easy to read on an axis. */
function ceiling(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 1.5, 2, 3, 5, 10].find((step) => step * unit >= value) ?? 10) * unit;
}

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${content}</text>`;

/** Returns the points of a line; a null interrupts it. */
function polylines(points: ([x: number, y: number] | null)[], colour: string): string {
  const parts: string[][] = [[]];
  for (const point of points) {
    if (point) parts.at(-1)?.push(point.map((value) => value.toFixed(1)).join(','));
    else parts.push([]);
  }
  return parts
    .filter((part) => part.length > 1)
    .map((part) => `<polyline points="${part.join(' ')}" fill="none" stroke="${colour}"/>`)
    .join('\n');
}

/** Draws resident memory, event-loop lag, and open events over time as SVG, with a mark at each fault. */
export function soakPlot({ processes, faults, samples }: Recording): string {
  const endMs = Math.max(...samples.map(({ atMs }) => atMs));
  const x = (atMs: number) => LEFT + (atMs / endMs) * (WIDTH - LEFT - RIGHT);
  const perProcess = (field: 'residentMb' | 'lagP99Ms') =>
    processes.map((name, process) => ({
      name,
      values: samples.map((sample) => sample.processes[process]?.[field] ?? null),
    }));
  const panels: Panel[] = [
    { title: 'Resident memory, MB', lines: perProcess('residentMb') },
    { title: 'Event-loop lag, p99 of 5 s, ms', lines: perProcess('lagP99Ms') },
    {
      title: 'Accepted and not yet delivered, events',
      lines: [{ name: 'open', values: samples.map(({ totals }) => totals.open) }],
    },
  ];

  function draw({ title, lines }: Panel, index: number): string {
    const top = TOP + index * (PANEL_HEIGHT + PANEL_GAP);
    const bottom = top + PANEL_HEIGHT;
    const limit = ceiling(Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0))));
    const y = (value: number) => bottom - (value / limit) * PANEL_HEIGHT;
    const grid = [0, limit / 2, limit].map((value) =>
      [
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#d0d7de"/>`,
        text(LEFT - 8, y(value) + 4, String(value), 'text-anchor="end"'),
      ].join('\n'),
    );
    const legend = lines.map(({ name }, line) =>
      text(
        WIDTH - RIGHT - (lines.length - line - 1) * 80,
        top - 8,
        name,
        `text-anchor="end" fill="${COLOURS[line]}"`,
      ),
    );
    const drawn = lines.map(({ values }, line) =>
      polylines(
        values.map((value, sample) => (value === null ? null : [x(samples[sample]?.atMs ?? 0), y(value)])),
        COLOURS[line] ?? '',
      ),
    );
    return [text(LEFT, top - 8, title, 'font-weight="bold"'), ...grid, ...legend, ...drawn].join('\n');
  }

  const bottom = TOP + panels.length * (PANEL_HEIGHT + PANEL_GAP) - PANEL_GAP;
  const marks = faults.map(({ fault, atMs }) =>
    [
      `<line x1="${x(atMs)}" x2="${x(atMs)}" y1="${TOP - 25}" y2="${bottom}" stroke="${FAULT_COLOUR}" stroke-dasharray="2 4"/>`,
      text(x(atMs), TOP - 30, fault, `text-anchor="middle" fill="${FAULT_COLOUR}" font-size="10"`),
    ].join('\n'),
  );
  const minutes = endMs / MINUTE_MS;
  const step = Math.max(1, ceiling(minutes / 12));
  const ticks = Array.from({ length: Math.floor(minutes / step) + 1 }, (_, tick) =>
    text(x(tick * step * MINUTE_MS), bottom + 18, `${tick * step} min`, 'text-anchor="middle"'),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 30}" font-family="sans-serif" font-size="12">`,
    '<title>Resident memory, event-loop lag and undelivered events over time</title>',
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...marks,
    ...panels.map(draw),
    ...ticks,
    '</svg>',
    '',
  ].join('\n');
}
