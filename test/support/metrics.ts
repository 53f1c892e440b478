import type { TestApp } from './app.ts';

/** One line of the page: a series and its value. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** `GET /metrics`, read as Prometheus reads it. */
export interface Page {
  samples: Sample[];
  /** Names of the metrics, from their `# TYPE` lines: a histogram once. */
  names: string[];
  /** The help of each, by name. */
  help: Map<string, string>;
  /** The value of a series; undefined where there is none. @param labels those that it has among others */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** @throws Error for a line that is none of the format's */
export function parseMetrics(text: string): Page {
  const samples: Sample[] = [];
  const help = new Map<string, string>();
  const names: string[] = [];
  for (const line of text.split('\n')) {
    const [, kind, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') help.set(about, rest);
    if (kind === 'TYPE') names.push(about);
    if (kind || line === '') continue;
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a line of the format: ${line}`);
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]);
    samples.push({ name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return {
    samples,
    names,
    help,
    value: (name, wanted = {}) =>
      samples.find(
        (sample) =>
          sample.name === name &&
          Object.entries(wanted).every(([label, text]) => sample.labels[label] === text),
      )?.value,
  };
}

export async function readMetrics(app: Pick<TestApp, 'url'>): Promise<Page> {
  const response = await fetch(`${app.url}/metrics`);
  if (response.status !== 200) throw new Error(`the page is answered with ${response.status}`);
  return parseMetrics(await response.text());
}
