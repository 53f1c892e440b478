import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Workers of the tests keep the compiled code of packages where the service keeps it (`src/runtime/memory-limits.ts`). */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compile');

const UNIT_TESTS = ['test/unit/**/*.test.ts'];
/** Tests of HTTP over loopback that use no database. */
const LOOPBACK_TESTS = [
  'test/outbound/**/*.test.ts',
  'test/cli/receiver.test.ts',
  'test/demo/provider.test.ts',
];
/**
 * Tests whose files share the modules of their worker, so that the service is loaded once per worker and not once per
 * file, which costs seconds of CPU time. They must not register anything in a module, nor leave a service running.
 */
const SHARING_TESTS = [
  'test/{activity,audit,conversations,drift,event-feeds,idempotency,jobs,preview-events}/**/*.test.ts',
  // Without the file that adds fields to the schema.
  'test/http/!(deprecation).test.ts',
  // Without the folder of the example adapter, and the files that register that adapter.
  'test/meetings/!(backfill|recorder-webhook).test.ts',
  'test/{limits,privacy,retention,sidecar,tenants,webhooks}/**/*.test.ts',
];
/** Tests that drive the console and the documentation pages in Chromium. */
const BROWSER_TESTS = ['test/console/**/*.test.ts', 'test/{client-package,http}/*-browser.test.ts'];

/** Generous: on a loaded machine a page or a process takes several times as long as alone. */
const TIMEOUTS = { testTimeout: 120_000, hookTimeout: 180_000 };
const WITH_DATABASE = {
  ...TIMEOUTS,
  globalSetup: 'test/support/global-setup.ts',
  setupFiles: [
    'test/support/release-databases.ts',
    // Fails a file in which the service sends a command without a shard key to a sharded collection.
    'test/support/sharding/setup.ts',
  ],
};

export default defineConfig({
  test: {
    // A file waits a third of its time for processes, leases and intervals, even on two cores.
    maxWorkers: 3,
    // A starved process on a shared runner is not a defect. Vitest reports what passed only when repeated.
    retry: process.env.CI ? 1 : 0,
    // The default of a second is too short for a page on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT_TESTS, isolate: false, testTimeout: 60_000 } },
      { extends: true, test: { ...TIMEOUTS, name: 'loopback', include: LOOPBACK_TESTS } },
      {
        extends: true,
        test: {
          ...WITH_DATABASE,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...UNIT_TESTS, ...LOOPBACK_TESTS, ...BROWSER_TESTS, ...SHARING_TESTS],
        },
      },
      {
        extends: true,
        test: {
          ...WITH_DATABASE,
          name: 'integration-shared',
          include: SHARING_TESTS,
          exclude: BROWSER_TESTS,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...WITH_DATABASE,
          name: 'browser',
          include: BROWSER_TESTS,
          // Files of a worker share its modules: loading the service takes two seconds of CPU time.
          isolate: false,
          // The browser and the service of each keep a core busy.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
  // Vite would load the ES modules of graphql and Node the CommonJS ones: two copies of each class.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
});
