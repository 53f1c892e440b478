import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// The compile cache saves a third of the startup time, and the compiler's memory.
enableCompileCache(resolve(import.meta.dirname, '../../node_modules/.cache/compile'));
// Collects garbage earlier than by default, for a smaller heap at the price of some CPU time.
setFlagsFromString('--heap-growing-percent=30');

// `npm run -s engagement -- <command>`
const { run } = await import('./run.ts');
await run(process.argv);
