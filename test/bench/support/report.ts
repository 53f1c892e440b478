import { median } from './stats.ts';

/** Target of a figure: for the ratio if there is a baseline, otherwise for the value. */
export type Aim = { atLeast: number } | { atMost: number };

export interface Figure {
  /** Measured quantity with its unit. */
  name: string;
  value: number;
  /** The same of what it is compared with; null: nothing. */
  baseline: number | null;
  /** Value through baseline of the runs made in turns: their median, least and most. */
  ratio: { median: number; min: number; max: number } | null;
  aim: Aim | null;
  /** Null: there is no aim. */
  met: boolean | null;
}

export interface Report {
  bench: string;
  figures: Figure[];
  seconds: number;
}

const meets = (value: number, aim: Aim | null): boolean | null => {
  if (aim === null) return null;
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
};

/** A figure that is compared run by run with its baseline. */
export function compared(
  name: string,
  pairs: { subject: number; baseline: number }[],
  aim: Aim | null = null,
): Figure {
  const ratios = pairs.map(({ subject, baseline }) => subject / baseline);
  const ratio = { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
  return {
    name,
    value: median(pairs.map(({ subject }) => subject)),
    baseline: median(pairs.map(({ baseline }) => baseline)),
    ratio,
    aim,
    met: meets(ratio.median, aim),
  };
}

/** A figure that stands for itself. */
export const single = (name: string, value: number, aim: Aim | null = null): Figure => ({
  name,
  value,
  baseline: null,
  ratio: null,
  aim,
  met: meets(value, aim),
});

const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2);

const aimText = (aim: Aim | null): string => {
  if (aim === null) return '';
  return 'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`;
};

const HEADINGS = ['', 'service', 'baseline', 'ratio', 'least to most', 'aim', ''];

/** The figures of a bench as a table. */
export function table({ bench, figures, seconds }: Report): string {
  const rows = figures.map(({ name, value, baseline, ratio, aim, met }) => [
    name,
    number(value),
    baseline === null ? '' : number(baseline),
    ratio === null ? '' : number(ratio.median),
    ratio === null ? '' : `${number(ratio.min)} to ${number(ratio.max)}`,
    aimText(aim),
    met === null ? '' : met ? 'met' : 'MISSED',
  ]);
  const all = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column > 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [`${bench} (${Math.round(seconds)} s)`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}
