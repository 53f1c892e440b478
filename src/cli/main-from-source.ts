import { limitMemory } from '../runtime/memory-limits.ts';

// The command line from its source, whether or not there is a prebuilt service: a profile names the files of the source.
limitMemory();
const { run } = await import('./run.ts');
await run(process.argv);
