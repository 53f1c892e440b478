import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MissingRuntime } from './commands.ts';
import * as generators from './generators.ts';
import * as linters from './linters.ts';
import { WORK } from './toolchains.ts';

/**
 * Generates clients from the committed OpenAPI documents, compiles them, and runs those in TypeScript and Python
 * against a service of its own; lints these and the AsyncAPI document. Prints a line per tool, and the counts.
 */
const CHECKS: [name: string, check: () => Promise<void>][] = [
  ['redocly', linters.redocly],
  ['spectral', linters.spectral],
  ['openapi-spec-validator', linters.openapiSpecValidator],
  ['@asyncapi/parser', linters.asyncapiParser],
  ['openapi-typescript: compiled and run', generators.openapiTypescript],
  ['@hey-api/openapi-ts: compiled and run', generators.heyApi],
  ['openapi-python-client: type-checked and run', generators.openapiPythonClient],
  ['openapi-generator typescript-fetch: compiled and run', generators.typescriptFetch],
  ['openapi-generator python: type-checked and run', generators.openapiGeneratorPython],
  ['PyPI standardwebhooks and cryptography, docs/verify.py: deliveries verified', generators.pythonVerifiers],
  ['openapi-generator java: compiled', generators.java],
  ['openapi-generator go: compiled', generators.go],
];

/** Downloads and compilers of different tools overlap. */
const CONCURRENCY = 4;

const counts = { passed: 0, failed: 0, skipped: 0 };

async function runCheck(name: string, check: () => Promise<void>): Promise<void> {
  const started = performance.now();
  const print = (result: string) => process.stdout.write(`${result} ${name}\n`);
  try {
    await check();
    counts.passed += 1;
    print(`passed (${Math.round((performance.now() - started) / 1000)} s)`);
  } catch (error) {
    const missing = error instanceof MissingRuntime;
    counts[missing ? 'skipped' : 'failed'] += 1;
    print(missing ? `skipped (${error.message})` : 'FAILED');
    if (!missing) process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}

// Output of an earlier run; the tools are kept.
for (const directory of ['npm/generated', 'openapi-generator', 'openapi-python-client'])
  await rm(join(WORK, directory), { recursive: true, force: true });

await using _service = await generators.startLiveService();
const pending = [...CHECKS];
const work = async () => {
  for (let next = pending.shift(); next; next = pending.shift()) await runCheck(...next);
};
await Promise.all(Array.from({ length: CONCURRENCY }, work));

const { passed, failed, skipped } = counts;
process.stdout.write(`Clients: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed > 0 ? 1 : 0;
