import { Option } from 'commander';
import { DEFAULT_MODEL } from '../../platform/sidecar-address.ts';
import type { LoadReport } from '../../sidecar/load/load-samples.ts';
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
  model?: string;
  url?: string;
  json: boolean;
}

async function load(file: string, { set, stage, model, url, json }: Options): Promise<void> {
  const { loadSamples } = await import('../../sidecar/load/load-samples.ts');
  const target = await sidecarTarget({ config: commandConfig(), url });
  const bar = createProgressBar('{rows} rows, {rejected} rejected, {rate} rows/s  {duration_formatted}', {
    rows: '0',
    rejected: '0',
    rate: '0',
  });
  const report = await loadSamples({
    sidecar: target,
    set,
    stage: stage ?? null,
    model: model ?? DEFAULT_MODEL,
    file,
    onProgress: ({ bytesRead, bytes, rows, rejected, rowsPerSecond }) =>
      bar.update(bytesRead, bytes, {
        rows: count(rows),
        rejected: count(rejected),
        rate: count(rowsPerSecond),
      }),
  }).finally(bar.stop);
  print({ json, result: { url: target.url, set, ...report }, text: toText(set, report) });
  if (report.rejected > 0) process.exitCode = EXIT_FAILURE;
}

/** Formats the bad lines, their reasons, and the totals. */
function toText(set: SampleSet, report: LoadReport): string {
  const totals = fields({
    Set: set,
    Read: count(report.read),
    Loaded: count(report.loaded),
    Rejected: count(report.rejected),
    Duration: `${(report.durationMs / 1_000).toFixed(1)} s, ${count(report.rowsPerSecond)} rows/s`,
  });
  return withRejections({
    reasons: report.reasons,
    totals: report.loaded === 0 ? `No row was loaded, because all rows are invalid.\n\n${totals}` : totals,
  });
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
    .option('--model <m>', 'model of the rows (default: the only one of a sidecar without models)', shortText)
    .option(...URL_OPTION)
    .action(load);
