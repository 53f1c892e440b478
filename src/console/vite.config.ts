import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  // `npm run console` beside a running service, for working on the console.
  server: { proxy: { '/graphql': process.env.CONSOLE_API ?? 'http://127.0.0.1:4000' } },
  build: {
    // The component library is most of it; what counts is the size over the wire, which is tested.
    chunkSizeWarningLimit: 700,
    outDir: join(import.meta.dirname, '../../dist/console'),
    emptyOutDir: true,
    // A style sheet in a `data:` address would need a wider policy.
    assetsInlineLimit: 0,
    target: 'es2023',
  },
  plugins: [react()],
});
