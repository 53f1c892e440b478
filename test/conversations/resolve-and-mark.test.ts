import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { apply, CALLS, mutate, retrieve, STATUSES, startConversation, timeline } from './support.ts';

/** Operations that annotate a conversation: identity, resolution, hand-off and outcome. */
let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const LONG = 'x'.repeat(501);
const OPERATIONS = {
  resolveIdentity: ['identity', 'IdentityInput'],
  recordResolution: ['input', 'ResolutionInput'],
  requestHandoff: ['input', 'HandoffInput'],
} as const;

async function send(operation: keyof typeof OPERATIONS, id: string, input: Record<string, unknown>) {
  const [argument, type] = OPERATIONS[operation];
  return mutate(
    app,
    tenant.write,
    `${operation}(conversationId: $id, ${argument}: $${argument})`,
    { id, [argument]: input },
    `$id: ID!, $${argument}: ${type}!`,
  );
}

const toldOf = async (id: string) => (await timeline(app, tenant, id)).slice(1).map(({ event }) => event);

async function read(id: string) {
  const query = `query($id: ID!) { conversation(id: $id) {
    identity { resolvedPersonId company firstName lastName jobTitle email }
    resolutions { id resolvedPersonId resolvedCompany } handoffs { id schemaName urgency reason }
    outcome { category markedAt } } }`;
  return (await app.graphql(query, { id }, tenant.read)).body.data?.conversation;
}

describe.each(STATUSES)('a conversation that is %s', (status) => {
  test('accepts identity, resolution and outcome in every status', async () => {
    const before = await startConversation(app, tenant, {}, status);
    for (const call of [CALLS.resolveIdentity, CALLS.recordResolution, CALLS.markOutcome])
      expect((await apply(app, tenant, before.id, call)).status).toBe(status);
    expect((await toldOf(before.id)).slice(-3)).toEqual([
      'identity.resolved',
      'resolution.recorded',
      'outcome.marked',
    ]);
  });
});

test('resolveIdentity replaces the whole identity, and REST returns it under its own field names', async () => {
  const { id } = await startConversation(app, tenant);
  const whole = { company: 'C', firstName: 'F', lastName: 'L', jobTitle: 'J', email: 'a@example.com' };
  await send('resolveIdentity', id, { resolvedPersonId: 'p_1', ...whole });
  expect((await retrieve(app, tenant, id)).identity).toStrictEqual({
    person_id: 'p_1',
    email: 'a@example.com',
    first_name: 'F',
    last_name: 'L',
    company: 'C',
    job_title: 'J',
  });
  await send('resolveIdentity', id, { resolvedPersonId: 'p_1', company: 'C', firstName: null });
  expect((await read(id))?.identity).toEqual({
    resolvedPersonId: 'p_1',
    company: 'C',
    firstName: null,
    lastName: null,
    jobTitle: null,
    email: null,
  });
  // Absent and null are the same identity.
  await send('resolveIdentity', id, { resolvedPersonId: 'p_1', company: 'C', email: null });
  expect(await toldOf(id)).toEqual(['identity.resolved', 'identity.resolved']);
});

test('recordResolution appends each one, except a repetition of the last', async () => {
  const { id } = await startConversation(app, tenant);
  const [person, company] = [{ resolvedPersonId: 'p_1' }, { resolvedCompany: 'Example Ltd' }];
  for (const input of [person, person, company, person, { ...person, ...company }])
    await send('recordResolution', id, input);
  const { resolutions } = (await read(id)) as unknown as {
    resolutions: { id: string; resolvedPersonId: string | null; resolvedCompany: string | null }[];
  };
  expect(resolutions.map((one) => [one.resolvedPersonId, one.resolvedCompany])).toEqual([
    ['p_1', null],
    [null, 'Example Ltd'],
    ['p_1', null],
    ['p_1', 'Example Ltd'],
  ]);
  const published = (await timeline(app, tenant, id)).slice(1);
  expect(published.map(({ data }) => data.resolutionEventId)).toEqual(resolutions.map((one) => one.id));
});

test.each(['low', 'normal', 'high', 'urgent'])('requestHandoff accepts the urgency %s', async (urgency) => {
  const { id } = await startConversation(app, tenant);
  const { conversation } = await send('requestHandoff', id, { schemaName: 's', urgency, reason: 'Why' });
  expect(conversation).toMatchObject({ status: 'handed_off', endedAt: null });
  const published = (await timeline(app, tenant, id)).at(-1);
  expect((await read(id))?.handoffs).toEqual([
    { id: published?.data.escalationId, schemaName: 's', urgency, reason: 'Why' },
  ]);
  // Repeated, even with another form, it is the same move.
  await send('requestHandoff', id, { schemaName: 'other', urgency: 'low' });
  expect(await toldOf(id)).toEqual(['handoff.requested']);
});

test('markOutcome without a category clears the outcome, and clearing it again changes nothing', async () => {
  const { id } = await startConversation(app, tenant);
  const clear = 'markOutcome(conversationId: $id)';
  await apply(app, tenant, id, clear);
  expect(await toldOf(id)).toEqual([]);
  await apply(app, tenant, id, 'markOutcome(conversationId: $id, category: "good")');
  expect((await read(id))?.outcome).toEqual({ category: 'good', markedAt: expect.any(String) });
  await apply(app, tenant, id, 'markOutcome(conversationId: $id, category: "better")');
  await apply(app, tenant, id, clear);
  expect((await read(id))?.outcome).toBeNull();
  const marks = (await timeline(app, tenant, id)).slice(1).map(({ data }) => data.category);
  expect(marks).toEqual(['good', 'better', null]);
});

describe('is rejected, and changes nothing:', () => {
  test.each([
    ['resolveIdentity', {}, 'identity.resolvedPersonId'],
    ['resolveIdentity', { resolvedPersonId: '' }, 'identity.resolvedPersonId'],
    ['resolveIdentity', { resolvedPersonId: LONG }, 'identity.resolvedPersonId'],
    ['resolveIdentity', { resolvedPersonId: 'p', company: LONG }, 'identity.company'],
    ['resolveIdentity', { resolvedPersonId: 'p', firstName: '' }, 'identity.firstName'],
    ['resolveIdentity', { resolvedPersonId: 'p', lastName: LONG }, 'identity.lastName'],
    ['resolveIdentity', { resolvedPersonId: 'p', jobTitle: LONG }, 'identity.jobTitle'],
    ['resolveIdentity', { resolvedPersonId: 'p', email: { $ne: 1 } }, 'identity.email'],
    ['recordResolution', {}, 'input'],
    ['recordResolution', { resolvedPersonId: null, resolvedCompany: null }, 'input'],
    ['recordResolution', { resolvedPersonId: '' }, 'input.resolvedPersonId'],
    ['recordResolution', { resolvedCompany: LONG }, 'input.resolvedCompany'],
    ['requestHandoff', { schemaName: 's' }, 'input.urgency'],
    ['requestHandoff', { schemaName: 's', urgency: 'HIGH' }, 'input.urgency'],
    ['requestHandoff', { urgency: 'low' }, 'input.schemaName'],
    ['requestHandoff', { schemaName: '', urgency: 'low' }, 'input.schemaName'],
    ['requestHandoff', { schemaName: 's', urgency: 'low', reason: LONG }, 'input.reason'],
  ] as const)('%s %#', async (operation, input, path) => {
    const { id } = await startConversation(app, tenant);
    const { code, details } = await send(operation, id, input);
    expect(code).toBe('VALIDATION_FAILED');
    expect(details.map((detail) => detail.path)).toEqual([path]);
    expect(await toldOf(id)).toEqual([]);
  });

  test.each(['""', `"${LONG}"`])('markOutcome %#', async (category) => {
    const { id } = await startConversation(app, tenant);
    const call = `markOutcome(conversationId: $id, category: ${category})`;
    expect(await mutate(app, tenant.write, call, { id })).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'category' }],
    });
  });
});
