import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './commands.ts';
import { ASYNCAPI_DOCUMENT, DOCUMENTS, PROGRAMS, printedDocument } from './generators.ts';
import { manifest, npmTools, pythonTools, WORK } from './toolchains.ts';

const FILES = DOCUMENTS.map(printedDocument);

/** Fails on findings of the level error, as do the other linters. */
export async function redocly(): Promise<void> {
  await run(join(await npmTools(), 'redocly'), ['lint', '--config', manifest('redocly.yaml'), ...FILES], {
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
}

export async function spectral(): Promise<void> {
  await run(join(await npmTools(), 'spectral'), [
    ...['lint', '--fail-severity', 'error', '--ruleset', manifest('spectral.yaml')],
    ...FILES,
  ]);
}

export async function openapiSpecValidator(): Promise<void> {
  await run(join(await pythonTools(), 'openapi-spec-validator'), FILES);
}

/** Fails on errors and warnings of the parser of the AsyncAPI Initiative. */
export async function asyncapiParser(): Promise<void> {
  await npmTools();
  // Beside the installed packages, so that its import resolves.
  const program = join(WORK, 'npm/asyncapi-parser.mjs');
  await cp(join(PROGRAMS, 'asyncapi-parser.mjs'), program);
  await run(process.execPath, [program, ASYNCAPI_DOCUMENT]);
}
