import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// What was compiled once is kept: the next start takes two thirds of the time, and no compiler in memory.
enableCompileCache(resolve(import.meta.dirname, '../../node_modules/.cache/compile'));
// By default the heap grows to several times what lives in it before it is cleaned; memory costs more than that.
setFlagsFromString('--heap-growing-percent=30');

// `npm run -s engagement -- <command>`
const { run } = await import('./run.ts');
await run(process.argv);
