import { readFile } from 'node:fs/promises';
import { Parser } from '@asyncapi/parser';

/** Parses the AsyncAPI document that the first argument names; fails on errors and warnings. */
const [, , file] = process.argv;
const { document, diagnostics } = await new Parser().parse(await readFile(file, 'utf8'));
const WARNING = 1;
const findings = diagnostics.filter(({ severity }) => severity <= WARNING);
for (const { code, message, path } of findings) console.error(`${path.join('.')}: ${code}: ${message}`);
if (!document || findings.length > 0) process.exitCode = 1;
