import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import documents from './generated/persisted-documents.json' with { type: 'json' };

const SERVICE = process.env.CONSOLE_API ?? 'http://127.0.0.1:4000';

const OPERATION = /\b(?:query|mutation|subscription) \w+/;

/** Returns the identifier of the document with an operation. @throws Error if `npm run generate` has not been run */
function identifierOf(text: string): string {
  const operation = OPERATION.exec(text)?.[0];
  const found = Object.entries(documents).find(([, document]) => OPERATION.exec(document)?.[0] === operation);
  if (!operation || !found)
    throw new Error(`No document has the operation ${operation}: run npm run generate.`);
  return found[0];
}

/** Smallest file of what several pages share, before minification: smaller ones are merged. */
const MIN_SHARED_BYTES = 60_000;

/** Replaces documents by their identifiers, which are all that the build sends: the texts are not in the first view. */
const documentIdentifiers = (): Plugin => ({
  name: 'document-identifiers',
  apply: 'build',
  enforce: 'pre',
  transform(code, file) {
    if (file.includes('/generated/') || !code.includes('graphql(`')) return null;
    return code
      .replace(/import \{ graphql \} from '[^']*\/gql\.ts';/, '')
      .replace(
        /\bgraphql\(`([^`]*)`\)/g,
        (_, text: string) => `({ __meta__: { documentId: ${JSON.stringify(identifierOf(text))} } })`,
      );
  },
});

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  // For `npm run console`, which serves the console with hot reloading in front of a running service.
  server: { proxy: { '/graphql': SERVICE, '/console/session': SERVICE } },
  build: {
    // The limit is on the uncompressed size; a test bounds the compressed size of the first view.
    chunkSizeWarningLimit: 700,
    outDir: join(import.meta.dirname, '../../dist/console'),
    emptyOutDir: true,
    // A style sheet in a `data:` URL would need a less strict Content-Security-Policy.
    assetsInlineLimit: 0,
    target: 'es2023',
    rolldownOptions: {
      output: {
        // Shared files import each other, and a page loads any of them first.
        strictExecutionOrder: true,
        codeSplitting: {
          groups: [
            { name: 'first-view', tags: ['$initial'], priority: 1 },
            // Otherwise, what two pages share is in dozens of small files, and a page waits for all of its own.
            {
              name: 'shared',
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: MIN_SHARED_BYTES,
            },
          ],
        },
      },
    },
  },
  plugins: [documentIdentifiers(), react()],
});
