import { join } from 'node:path';

/** Builds the console into `dist/console`; skipped without the development dependencies. */
const vite = await import('vite').catch(() => null);

if (vite) {
  await vite.build({
    configFile: join(import.meta.dirname, '../src/console/vite.config.ts'),
    logLevel: 'warn',
  });
} else {
  console.warn(
    'The console is not built because the development dependencies are not installed. ' +
      'GraphQL and REST are not affected.',
  );
}
