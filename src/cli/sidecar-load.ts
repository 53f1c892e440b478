import { SingleBar } from 'cli-progress';
import { Option } from 'commander';
import { type SampleSet, SETS } from '../sidecar/samples/samples.types.ts';
import { DEFAULT_URL } from '../sidecar/sidecar-address.ts';
import { commandConfig } from './backend.ts';
import { newCommand, shortText } from './command.ts';
import { EXIT_FAILURE } from './failure.ts';
import { count, fields, print, table } from './output.ts';

interface Options {
  set: SampleSet;
  stage?: string;
  url?: string;
  json: boolean;
}

interface Problem {
  row: number;
  line: number;
  message: string;
}

/** Wrong rows that are told one by one; the others are counted. */
const MAX_PROBLEMS = 100;

/** A bar on a terminal, and nothing elsewhere. */
function createBar() {
  const bar = new SingleBar({
    stream: process.stderr,
    format: '{bar} {percentage} %  {duration_formatted}',
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
  });
  const shown = process.stderr.isTTY === true;
  if (shown) bar.start(1, 0);
  return {
    update(done: number, total: number): void {
      if (!shown) return;
      bar.setTotal(Math.max(1, total));
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

/** Base address without a slash at its end. */
const baseUrl = (url: string): string => url.replace(/\/+$/, '');

async function load(file: string, { set, stage, url, json }: Options): Promise<void> {
  const { loadSamples } = await import('../sidecar/load/load-samples.ts');
  const target = baseUrl(url ?? commandConfig().mlSidecarUrl ?? DEFAULT_URL);
  const problems: Problem[] = [];
  const bar = createBar();
  const loaded = await loadSamples({
    url: target,
    set,
    stage: stage ?? null,
    file,
    onProgress: bar.update,
    onProblem(problem) {
      if (problems.length < MAX_PROBLEMS) problems.push(problem);
    },
  }).finally(bar.stop);

  const result = { url: target, set, loaded: loaded.rows, rejected: loaded.rejected, errors: problems };
  const summary = fields({ Set: set, Loaded: count(loaded.rows), Rejected: count(loaded.rejected) });
  const rows = problems.map(({ row, line, message }) => [row, line, message]);
  const more = loaded.rejected > rows.length ? `\n… and ${count(loaded.rejected - rows.length)} more.` : '';
  const text = rows.length > 0 ? `${summary}\n\n${table(['ROW', 'LINE', 'REASON'], rows)}${more}` : summary;
  print(json, result, text);
  if (loaded.rejected > 0) process.exitCode = EXIT_FAILURE;
}

/** `sidecar load`: sends the samples in a file to a running sidecar. */
export const sidecarLoad = () =>
  newCommand(
    'load',
    'send samples to a running sidecar: CSV with a column for each feature, prediction, outcome and stage, or one row of JSON a line',
  )
    .argument('<file>', 'a file whose name ends in .csv or .jsonl')
    .addOption(new Option('--set <set>', 'what they are').choices(SETS).makeOptionMandatory())
    .option('--stage <s>', 'stage of the rows that name none', shortText)
    .option('--url <url>', 'address of the sidecar (default: ML_SIDECAR_URL, else the usual one)')
    .action(load);
