import { describe, expect, test } from 'vitest';
import { importProblems } from '../../../scripts/check-imports.ts';

describe('an import is refused', () => {
  test.each([
    ['of another feature', 'src/features/meetings/a.ts', "import '../webhooks/index.ts';"],
    ['of a type', 'src/features/tenants/a.ts', "import type { A } from '../outbox/outbox.ts';"],
    ['on demand', 'src/platform/a.ts', "const app = await import('../runtime/app.ts');"],
    ['by a re-export', 'src/errors/a.ts', "export { A } from '../http/cors.ts';"],
    [
      'of a store by a resolver',
      'schema/a.ts',
      "import '../src/features/preview-events/preview-event.store.ts';",
    ],
    ['of the driver by HTTP', 'src/http/a.ts', "import type { Model } from 'mongoose';"],
    ['of the server by the console', 'src/console/a.tsx', "import { A } from '../http/cors.ts';"],
    [
      'of the service by the client',
      'packages/client/src/a.ts',
      "import '../../../src/errors/app-error.ts';",
    ],
  ])('%s', (_, path, source) => {
    expect(importProblems(path, source)).toHaveLength(1);
  });
});

test('a folder without a rule is refused', () => {
  expect(importProblems('src/features/unknown/a.ts', '')).toHaveLength(1);
  expect(importProblems('src/unknown/a.ts', '')).toHaveLength(1);
});

describe('an import is permitted', () => {
  test.each([
    ['within a feature', 'src/features/preview-events/a.ts', "import './preview-event.store.ts';"],
    [
      'of the one file that events share',
      'src/features/preview-events/a.ts',
      "import '../conversations/conversions.ts';",
    ],
    [
      'of the driver by a store',
      'src/features/preview-events/a.store.ts',
      "import { Model } from 'mongoose';",
    ],
    ['of packages and Node.js', 'src/errors/a.ts', "import 'node:fs'; import 'zod';"],
  ])('%s', (_, path, source) => {
    expect(importProblems(path, source)).toEqual([]);
  });
});
