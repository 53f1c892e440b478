import { limitMemory } from '../runtime/memory-limits.ts';

// The command line from its source, whether or not there is a prebuilt service: what tests run does not depend on a build.
limitMemory();
const { run } = await import('./run.ts');
await run(process.argv);
