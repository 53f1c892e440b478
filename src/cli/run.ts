import { failureOf } from './output/command-failure.ts';
import { print } from './output/text-output.ts';
import { buildProgram } from './program.ts';

/**
 * Runs a command of the operator's command line; `argv` as in `process.argv`.
 * Exit codes: 0 done, 1 failed, 2 called wrongly, 78 configured wrongly. A failure is a clear line on stderr; with `--json` stdout carries it too, as `{ "error": { code, message, details } }`.
 */
export async function run(argv: string[]): Promise<void> {
  // A reader that has seen enough (`| head`) is no failure.
  process.stdout.on('error', () => process.exit());
  try {
    await buildProgram().parseAsync(argv);
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) return;
    for (const line of failure.lines) process.stderr.write(`${line}\n`);
    if (argv.includes('--json')) print(true, failure.document, '');
    process.exitCode = failure.exitCode;
  }
}
