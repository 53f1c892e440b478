import { expect, test } from 'vitest';
import { newDelivery } from '../../../src/features/webhooks/delivery/delivery.model.ts';
import type { LeasedUpdate } from '../../../src/features/webhooks/delivery/leased-updates.ts';
import { createProcessLeases } from '../../../src/features/webhooks/delivery/process-leases.ts';
import { dueFields } from '../../../src/features/webhooks/delivery/state-updates.ts';
import { newObjectId } from '../../../src/platform/mongo/object-id.ts';
import { systemRuntime } from '../../../src/platform/runtime.ts';

const NOW = new Date('2026-01-31T09:30:00Z');

test.each(['hold', 'release'] as const)(
  '%s loses no attempt of a probe, which its claim did not count',
  async (end) => {
    const written: LeasedUpdate[] = [];
    const leases = createProcessLeases({
      results: { write: async (update) => written.push(update) > 0 },
      clock: { now: () => NOW },
      ttlMs: 25_000,
      runtime: systemRuntime,
    });
    const identity = {
      _id: newObjectId(NOW),
      customerId: 7,
      endpointId: 1,
      eventId: newObjectId(NOW),
      event: 'outcome.marked',
    } as const;
    const due = newDelivery(identity, dueFields(NOW), NOW);
    await leases[end]({ ...due, payload: '{}', lease: 'token', wasDueAt: NOW, isProbe: true });
    await leases[end]({ ...due, payload: '{}', lease: 'token', wasDueAt: NOW, attempt: 1 });
    const [probe, counted] = written.map(({ update }) => update.$set?.attempt);
    expect([probe, counted]).toEqual([undefined, 0]);
  },
);
