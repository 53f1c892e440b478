import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Vite would take the package's ES modules and Node its CommonJS ones: two copies of one class do not know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // Each file has processes, servers and a database of its own; more at once only makes them wait for each other.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
