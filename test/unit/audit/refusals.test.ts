import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import type { AuditIntentDoc } from '../../../src/features/audit/audit.model.ts';
import type { AuditAct } from '../../../src/features/audit/audit.types.ts';
import { ANONYMOUS_ACTOR } from '../../../src/features/audit/audit-actor.ts';
import { createRefusals } from '../../../src/features/audit/refusals.ts';
import { DatabaseUnavailable, WriteUnconfirmed } from '../../../src/platform/mongo/unavailable.ts';

const ACT: AuditAct = {
  customerId: 7,
  action: 'authenticate',
  actor: ANONYMOUS_ACTOR,
  clientAddress: null,
  requestId: null,
  target: { type: 'scope', id: 'write' },
};

const newAct = ({ customerId, ...act }: AuditAct): AuditIntentDoc => ({
  ...{ _id: new Types.ObjectId(), log: customerId ?? 0, at: new Date() },
  ...act,
});

/** Refusals whose recordings fail with these errors, one after the other, and then succeed. */
function failingWith(...errors: Error[]) {
  const recorded: { id: string; count: number }[] = [];
  const record = async ({ _id }: AuditIntentDoc, count: number): Promise<void> => {
    recorded.push({ id: _id.toHexString(), count });
    const error = errors.shift();
    if (error) throw error;
  };
  return { refusals: createRefusals({ newAct, record }), recorded };
}

test('refusals whose entry may exist are recorded again under its id, apart from later ones', async () => {
  const { refusals, recorded } = failingWith(new WriteUnconfirmed(), new DatabaseUnavailable());
  refusals.add(ACT);
  refusals.add(ACT);
  await refusals.flush();
  refusals.add(ACT);
  for (let i = 0; i < 3; i += 1) await refusals.flush();
  const [first, , later] = recorded;
  expect(recorded).toEqual([first, first, later, first]);
  expect([first?.count, later?.count]).toEqual([2, 1]);
});

test('refusals that were not recorded are counted with later ones', async () => {
  const { refusals, recorded } = failingWith(new DatabaseUnavailable());
  refusals.add(ACT);
  await refusals.flush();
  refusals.add(ACT);
  for (let i = 0; i < 2; i += 1) await refusals.flush();
  expect(recorded.map(({ count }) => count)).toEqual([1, 2]);
});
