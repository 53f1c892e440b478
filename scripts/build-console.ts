import { join } from 'node:path';

/** Builds the console into `dist/console`. Where its tools are not installed, the service works without it. */
const vite = await import('vite').catch(() => null);

if (vite) {
  await vite.build({
    configFile: join(import.meta.dirname, '../src/console/vite.config.ts'),
    logLevel: 'warn',
  });
} else {
  console.warn(
    'The console is not built: its tools are development dependencies, which are not installed. ' +
      'The service works without it; GraphQL and REST are not affected.',
  );
}
