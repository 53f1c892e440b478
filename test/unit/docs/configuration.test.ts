import { describe, expect, test } from 'vitest';
import { ERROR_STATUS } from '../../../src/errors/error-codes.ts';
import { documents, read } from './support.ts';

const variables = [
  ...read('src/config/config.ts').matchAll(/^ {4}([A-Z][A-Z_]+):|fromCommand\('([A-Z_]+)'/gm),
].map(([, name, source = '']) => name ?? source);

test('docs/configuration.md has every variable of src/config/config.ts, and no other', () => {
  const firstCells = [...read('docs/configuration.md').matchAll(/^\| (`[^|]+`) \|/gm)].map(
    ([, cell = '']) => cell,
  );
  const documented = firstCells.flatMap((cell) =>
    [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name),
  );
  expect(variables.length).toBeGreaterThan(20);
  expect(documented.toSorted()).toEqual(variables.toSorted());
});

describe.each(documents)('%s', (document) => {
  /** Variables of `demo.env`, which the service writes. */
  const ofDemo = ['BASE_URL', 'CUSTOMER_ID', 'READ_KEY', 'WRITE_KEY', 'ADMIN_KEY'];
  const ofTests = [
    'BROWSER_TESTS',
    'FUZZ_MINUTES',
    'FUZZ_SEED',
    'SIMULATION_SEEDS',
    'ORDER_EVENTS',
    'FEED_EVENTS',
    'OUTAGE_EVENTS',
    'FULL_SIZE',
    'EXPORT_CONVERSATIONS',
    'RETENTION_CONVERSATIONS',
  ];
  const others = [
    'NODE_ENV',
    'MALLOC_ARENA_MAX',
    'RECEIVER_SECRET',
    'ENGAGEMENT_KEY',
    'ERROR_STATUS',
    ...ofTests,
  ];
  const known = new Set([...variables, ...ofDemo, ...others, ...Object.keys(ERROR_STATUS)]);
  const isKnown = (name: string) => known.has(name) || known.has(name.replace(/_FILE$/, ''));

  test('names only environment variables and error codes that exist', () => {
    const text = read(document);
    const named = [
      ...text.matchAll(/\b([A-Z]+(?:_[A-Z]+)+)\b/g),
      // With a value in a code span: `ROLE=api`.
      ...text.matchAll(/`([A-Z]+)=/g),
    ].map(([, name = '']) => name);
    expect(named.filter((name) => !isKnown(name) && !name.startsWith('OTEL_'))).toEqual([]);
  });
});
