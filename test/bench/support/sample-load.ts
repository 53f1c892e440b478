import { answerCalls } from './child.ts';
import { FEATURES, fillRow, NAMES, type SampleSet } from './samples.ts';

/** Rows of a request. */
const BATCH = 5_000;

interface SampleLoad {
  /** Base address of the sidecar. */
  url: string;
  set: SampleSet;
  rows: number;
}

const values = new Float64Array(FEATURES + 2);

function rowJson(set: SampleSet, row: number): string {
  fillRow(values, set, row);
  const features = NAMES.map((name, feature) => {
    const value = values[feature] ?? 0;
    return `"${name}":${Number.isNaN(value) ? null : value}`;
  });
  return `{"features":{${features.join()}},"prediction":${values[FEATURES]},"outcome":${values[FEATURES + 1]}}`;
}

function bodyOf(set: SampleSet, first: number, count: number): string {
  const rows = Array.from({ length: count }, (_, index) => rowJson(set, first + index));
  return `{"set":"${set}","stage":"lead","rows":[${rows.join()}]}`;
}

async function send(url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/samples`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  await response.body?.cancel();
}

/** Sends rows, one request after the other. @returns milliseconds that it waited for answers, and in all */
async function load({ url, set, rows }: SampleLoad): Promise<{ waitedMs: number; totalMs: number }> {
  const startedAt = performance.now();
  let waitedMs = 0;
  for (let first = 0; first < rows; first += BATCH) {
    const body = bodyOf(set, first, Math.min(BATCH, rows - first));
    const sentAt = performance.now();
    await send(url, body);
    waitedMs += performance.now() - sentAt;
  }
  return { waitedMs, totalMs: performance.now() - startedAt };
}

const handlers = { load };
export type SampleLoadCalls = typeof handlers;
answerCalls(handlers);
