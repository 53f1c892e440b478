import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const SERVICE = process.env.CONSOLE_API ?? 'http://127.0.0.1:4000';

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
  },
  plugins: [react()],
});
