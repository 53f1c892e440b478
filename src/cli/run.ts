import { failureOf, report } from './output/command-failure.ts';
import { print } from './output/text-output.ts';
import { buildProgram } from './program.ts';

/**
 * Runs the command in `argv`, which has the format of `process.argv`. Sets the exit code: 0 for success, 1 for failure,
 * 2 for a usage error, 78 for an invalid configuration. An error is printed on stderr; with `--json` also on stdout, as
 * `{ "error": { code, message, details } }`.
 */
export async function run(argv: string[]): Promise<void> {
  // The reader of a pipe may close it early (`| head`).
  process.stdout.on('error', () => process.exit());
  try {
    await buildProgram().parseAsync(argv);
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) return;
    report(failure);
    if (argv.includes('--json')) print({ json: true, result: failure.document, text: '' });
  }
}
