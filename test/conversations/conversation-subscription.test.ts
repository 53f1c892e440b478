import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { startProfile } from '../support/profile.ts';
import { subscribe } from '../support/subscription.ts';
import { append, apply, CALLS, MOVES, startConversation } from './support.ts';

interface Update {
  id: string;
  status: string;
  converted: boolean;
  messageCount: number;
  identity: { resolvedPersonId: string } | null;
  outcome: { category: string } | null;
}

const FIELDS = 'id status converted messageCount identity { resolvedPersonId } outcome { category }';
const ALL = `subscription { conversationUpdated { ${FIELDS} } }`;
const SUBSCRIBERS = 10;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('every change of a conversation reaches the subscribers of its customer, without a read', async () => {
  const [tenant, other] = [await app.newTenant(), await app.newTenant()];
  const all = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, () => subscribe<Update>(app, tenant.read, ALL)),
  );
  const foreign = await subscribe<Update>(app, other.read, ALL);
  const { id } = await startConversation(app, tenant);
  const one = await subscribe<Update>(
    app,
    tenant.read,
    `subscription { conversationUpdated(id: "${id}") { ${FIELDS} } }`,
  );

  const profile = await startProfile(app.models.Event.db.db);
  const changes = [
    () => append(app, tenant, id, [{ role: 'visitor', text: 'Hello' }]),
    ...[CALLS.resolveIdentity, CALLS.recordConversion, MOVES.requestHandoff, CALLS.markOutcome].map(
      (call) => () => apply(app, tenant, id, call),
    ),
  ];
  const received = (count: number) =>
    eventually(async () => all.every(({ updates }) => updates.length === count));
  await received(1);
  for (const [index, change] of changes.entries()) {
    await change();
    // An update has the state at or after its change, so the next change waits for it.
    await received(index + 2);
  }
  const commands = await profile.end();

  const history = all[0]?.updates ?? [];
  expect(history).toMatchObject([
    { id, status: 'active', messageCount: 0, identity: null },
    { messageCount: 1, identity: null },
    { identity: { resolvedPersonId: 'p_1' }, converted: false },
    { converted: true, status: 'active' },
    { status: 'handed_off', outcome: null },
    { outcome: { category: 'qualified' } },
  ]);
  for (const { updates } of all) expect(updates).toEqual(history);
  await eventually(async () => one.updates.length === 5);
  expect(one.updates).toEqual(history.slice(1));
  expect(foreign.updates).toEqual([]);
  // The mutations read the conversation once each; the 11 subscribers do not.
  const reads = await commands.countDocuments({
    op: 'query',
    ns: `${commands.dbName}.conversations`,
  });
  expect(reads).toBeLessThanOrEqual(5);

  await startConversation(app, tenant);
  await received(7);
  expect(one.updates).toHaveLength(5);

  for (const { leave } of [...all, foreign, one]) leave();
});

test('ends with its key', async () => {
  const { customerId } = await app.newTenant();
  const { apiKey, key } = await app.services.keys.create({ scope: 'read', customerId, expiresAt: null });
  const { over } = await subscribe<Update>(app, key, ALL);
  expect(over()).toBe(false);
  await app.services.keys.revoke(apiKey.id);
  await eventually(async () => over());
});
