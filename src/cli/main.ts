import { setSourceMapsSupport } from 'node:module';
import { limitMemory } from '../runtime/memory-limits.ts';
import { findPrebuilt } from '../runtime/prebuilt.ts';

// The command line: `npm run -s engagement -- <command>`. Runs the prebuilt service or, without one, the source.
limitMemory();
const prebuilt = findPrebuilt();
if (prebuilt === 'stale' && process.argv[2] === 'serve' && (await import('node:cluster')).default.isPrimary)
  process.stderr.write('The source has changed since `npm run build`: the service runs from its source.\n');
if (prebuilt instanceof URL) setSourceMapsSupport(true);
const { run } = (
  prebuilt instanceof URL ? await import(prebuilt.href) : await import('./run.ts')
) as typeof import('./run.ts');
await run(process.argv);
