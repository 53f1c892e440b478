import { Option } from 'commander';
import { type SampleSet, SETS } from '../../sidecar/samples/samples.types.ts';
import { newCommand } from '../command.ts';
import { commandConfig } from '../command-backend.ts';
import { shortText } from '../option-parsers.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { createProgressBar } from '../output/progress-bar.ts';
import { count, fields, print, withRejections } from '../output/text-output.ts';
import { sidecarTarget, URL_OPTION } from '../sidecar-target.ts';

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

/** Maximum number of rejected rows that are listed; the rest is only counted. */
const MAX_PROBLEMS = 100;

async function load(file: string, { set, stage, url, json }: Options): Promise<void> {
  const { loadSamples } = await import('../../sidecar/load/load-samples.ts');
  const target = await sidecarTarget({ config: commandConfig(), url });
  const problems: Problem[] = [];
  const bar = createProgressBar('{duration_formatted}');
  const loaded = await loadSamples({
    sidecar: target,
    set,
    stage: stage ?? null,
    file,
    onProgress: bar.update,
    onProblem(problem) {
      if (problems.length < MAX_PROBLEMS) problems.push(problem);
    },
  }).finally(bar.stop);

  const result = { url: target.url, set, loaded: loaded.rows, rejected: loaded.rejected, errors: problems };
  const summary = fields({ Set: set, Loaded: count(loaded.rows), Rejected: count(loaded.rejected) });
  const rows = problems.map(({ row, line, message }) => [row, line, message]);
  const text = withRejections(summary, { headings: ['ROW', 'LINE', 'REASON'], rows, total: loaded.rejected });
  print({ json, result, text });
  if (loaded.rejected > 0) process.exitCode = EXIT_FAILURE;
}

/** `sidecar load`: loads the samples of a file into a running sidecar. */
export const sidecarLoad = () =>
  newCommand(
    'load',
    'load samples into a running sidecar: CSV with columns for features, prediction, outcome and stage, or JSON Lines',
  )
    .argument('<file>', 'path of a .csv or .jsonl file')
    .addOption(new Option('--set <set>', 'sample set').choices(SETS).makeOptionMandatory())
    .option('--stage <s>', 'stage of rows without one', shortText)
    .option(...URL_OPTION)
    .action(load);
