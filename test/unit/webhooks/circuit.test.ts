import { expect, test } from 'vitest';
import { hasTripped } from '../../../src/features/webhooks/endpoints/circuit.ts';
import type { EndpointDoc } from '../../../src/features/webhooks/endpoints/endpoint.model.ts';
import { newObjectId } from '../../../src/platform/mongo/object-id.ts';

const NOW = new Date('2026-01-01T00:00:10.000Z');

/** An endpoint whose failures open its circuit, just so. */
const failing = (changes: Partial<EndpointDoc> = {}): EndpointDoc =>
  ({
    enabled: true,
    circuit: null,
    failures: 20,
    failingSince: new Date(NOW.getTime() - 10_000),
    failedDeliveries: Array.from({ length: 10 }, () => newObjectId(NOW)),
    ...changes,
  }) as EndpointDoc;

test('a circuit opens after 20 failures in a row, of ten deliveries, in ten seconds', () => {
  expect(hasTripped(failing(), NOW)).toBe(true);
});

test.each<[string, Partial<EndpointDoc>]>([
  ['19 failures', { failures: 19 }],
  ['nine deliveries', { failedDeliveries: failing().failedDeliveries?.slice(1) ?? [] }],
  ['less than ten seconds', { failingSince: new Date(NOW.getTime() - 9_999) }],
  ['no failure since the last success', { failingSince: null }],
  ['a disabled endpoint', { enabled: false }],
])('it stays closed with %s', (_name, changes) => {
  expect(hasTripped(failing(changes), NOW)).toBe(false);
});
