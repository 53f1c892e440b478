import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { IS_ENCRYPTED } from '../support/encryption-environment.ts';
import { recordQueries } from './queries.ts';
import { append, startConversation } from './support.ts';

const LIST = `query ($first: Int, $after: String, $visitorId: String, $email: String, $person: String,
    $company: String, $text: String, $status: ConversationStatus, $until: DateTime) {
  conversations(first: $first, after: $after, visitorId: $visitorId, email: $email, resolvedPersonId: $person,
    company: $company, text: $text, status: $status, until: $until) { edges { node { id } } pageInfo { hasNextPage endCursor } } }`;
const IDENTITY = `mutation ($id: ID!, $identity: IdentityInput!) {
  resolveIdentity(conversationId: $id, identity: $identity) { id } }`;
const RESOLUTION = `mutation ($id: ID!, $input: ResolutionInput!) {
  recordResolution(conversationId: $id, input: $input) { id } }`;

let app: TestApp;
let tenant: TestTenant;
let other: TestTenant;
/** Conversations of Ada, of a resolved Grace and of an unknown visitor, and one of another tenant like that of Ada. */
let ada: string;
let grace: string;
let plain: string;
let foreign: string;

interface Connection {
  edges: { node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

async function page(variables: object, key = tenant.read): Promise<Connection> {
  const { body } = await app.graphql(LIST, { ...variables }, key);
  expect(body).not.toHaveProperty('errors');
  return (body.data as unknown as { conversations: Connection }).conversations;
}

const find = async (variables: object, key = tenant.read): Promise<string[]> =>
  (await page(variables, key)).edges.map(({ node }) => node.id);

async function rest(query: Record<string, string>): Promise<string[]> {
  const path = `/v1/conversations?${new URLSearchParams(query)}`;
  const { body } = await app.request('GET', path, { key: tenant.read });
  return (body.data as unknown as { id: string }[]).map(({ id }) => id);
}

const ADA = { resolvedPersonId: 'p_ada', email: 'Ada@Example.com', company: 'Analytical Engines' };

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT: '60000/min' });
  tenant = await app.newTenant();
  other = await app.newTenant();
  const ofAda = async (owner: TestTenant) => {
    const { id } = await startConversation(app, owner, { visitorId: 'v_ada' });
    await app.graphql(IDENTITY, { id, identity: ADA }, owner.write);
    await append(app, owner, id, [{ role: 'visitor', text: 'Does the Engine weave algebraic (patterns)?' }]);
    return id;
  };
  ada = await ofAda(tenant);
  foreign = await ofAda(other);
  grace = (await startConversation(app, tenant, { visitorId: 'v_grace' })).id;
  const resolution = { resolvedPersonId: 'p_grace', resolvedCompany: 'Navy' };
  await app.graphql(RESOLUTION, { id: grace, input: resolution }, tenant.write);
  plain = (await startConversation(app, tenant, { visitorId: 'v_plain' })).id;
  await append(app, tenant, plain, [{ role: 'bot', text: 'An engine.' }]);
});
afterAll(() => app.stop());

test('finding people requires authentication', async () => {
  expect((await app.request('GET', '/v1/conversations?email=ada@example.com')).status).toBe(401);
  expect((await app.graphql(LIST, { email: 'ada@example.com' }, '')).status).toBe(401);
});

describe('conversations are found', () => {
  test('by visitor, email, person id and company, in GraphQL and REST', async () => {
    expect(await find({ visitorId: 'v_ada' })).toEqual([ada]);
    for (const email of ['ada@example.com', 'ADA@EXAMPLE.COM']) expect(await find({ email })).toEqual([ada]);
    expect(await find({ person: 'p_ada' })).toEqual([ada]);
    expect(await find({ company: 'analytical engines' })).toEqual([ada]);
    expect(await find({ email: 'ada@example.com', company: 'Navy' })).toEqual([]);
    expect(await rest({ visitor_id: 'v_ada' })).toEqual([ada]);
    expect(await rest({ email: 'ada@example.com' })).toEqual([ada]);
    expect(await rest({ person_id: 'p_ada', company: 'ANALYTICAL ENGINES' })).toEqual([ada]);
  });

  test('by the person and the company of a resolution', async () => {
    expect(await find({ person: 'p_grace' })).toEqual([grace]);
    expect(await find({ company: 'navy' })).toEqual([grace]);
  });

  test('by the words of a message, as they are written', async () => {
    expect(await find({ text: 'engine' })).toEqual([plain, ada]);
    expect(await find({ text: ' PATTERNS  engine ' })).toEqual([ada]);
    expect(await find({ text: '(patterns)?' })).toEqual([ada]);
    expect(await find({ text: '.*' })).toEqual([]);
    expect(await find({ text: 'engine', email: 'ada@example.com' })).toEqual([ada]);
    expect(await rest({ text: 'engine' })).toEqual([plain, ada]);
  });

  test('in pages, whose cursors belong to the search', async () => {
    const first = await page({ text: 'engine', first: 1 });
    expect(first.pageInfo.hasNextPage).toBe(true);
    const after = first.pageInfo.endCursor;
    expect(await find({ text: 'engine', first: 1, after })).toEqual([ada]);
    const { body } = await app.graphql(LIST, { text: 'other', after }, tenant.read);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
    expect(await rest({ text: 'engine', starting_after: plain })).toEqual([ada]);
  });

  test('with ids exactly, also beside a condition that ignores case', async () => {
    expect(await find({ person: 'P_ADA' })).toEqual([]);
    expect(await find({ person: 'p.ada' })).toEqual([]);
    expect(await find({ visitorId: 'V_ADA', email: 'ada@example.com' })).toEqual([]);
    expect(await find({ visitorId: 'v_ada', email: 'ADA@example.com' })).toEqual([ada]);
  });

  test('that started before a time, in GraphQL and REST', async () => {
    const { body } = await app.request('GET', `/v1/conversations/${plain}`, { key: tenant.read });
    const until = String(body.started_at);
    expect(await find({ until, text: 'engine' })).not.toContain(plain);
    expect(await rest({ until, text: 'engine' })).not.toContain(plain);
    const later = new Date(Date.parse(until) + 1).toISOString();
    expect(await find({ until: later, text: 'engine' })).toContain(plain);
    const first = await page({ until: later, first: 1 });
    expect(await find({ until: later, first: 1, after: first.pageInfo.endCursor })).not.toContain(plain);
  });

  test('never with those of another tenant', async () => {
    for (const filter of [{ email: 'ada@example.com' }, { text: 'algebraic' }, { person: 'p_ada' }])
      expect(await find(filter, other.read)).toEqual([foreign]);
  });
});

test.each([
  [{ email: 'no address' }, 'email'],
  [{ text: ' ' }, 'text'],
  [{ text: 'x'.repeat(201) }, 'text'],
  [{ text: 'a b c d e f g h i j k' }, 'text'],
  [{ company: '' }, 'company'],
])('%j is refused', async (variables, path) => {
  const { body } = await app.graphql(LIST, variables, tenant.read);
  expect(body).toMatchObject({
    errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path }] } }],
  });
});

test('an erased person is not found any more', async () => {
  const erasure = 'mutation { erasePerson(input: { email: "ada@example.com" }) { status } }';
  await app.graphql(erasure, {}, tenant.write);
  await expect.poll(() => find({ email: 'ada@example.com' })).toEqual([]);
  expect(await find({ text: 'algebraic' })).toEqual([]);
});

describe('an index finds the conversations of a person', () => {
  /** Conversations in the order of the list, each with a person and a company in one or both of the two places. */
  const PLACES = ['identity', 'resolution', 'both'] as const;
  /** Encrypted conversations are found by hashes, beside plain ones. */
  const INDEX = IS_ENCRYPTED
    ? /^customerId_1_(lookups|(identity|resolution)\..*)_1_order_-1$/
    : /^customerId_1_(identity|resolution)\..*_1_order_-1$/;
  let owner: TestTenant;
  let ids: string[];

  beforeAll(async () => {
    owner = await app.newTenant();
    ids = [];
    for (let i = 0; i < 60; i += 1) {
      const { id } = await startConversation(app, owner, { visitorId: `v_${i % 10}` });
      const place = PLACES[i % PLACES.length];
      // Every second one is of another person.
      const person = i % 2 === 0 ? 'p_sought' : `p_${i}`;
      const company = i % 2 === 0 ? 'Sought Ltd' : `Company ${i}`;
      if (place !== 'resolution')
        await app.graphql(
          IDENTITY,
          { id, identity: { resolvedPersonId: person, company, email: `${person}@example.com` } },
          owner.write,
        );
      if (place !== 'identity')
        await app.graphql(
          RESOLUTION,
          { id, input: { resolvedPersonId: person, resolvedCompany: company } },
          owner.write,
        );
      ids.unshift(id);
    }
  });

  test.each([
    ['person', { person: 'p_sought' }],
    ['company', { company: 'SOUGHT LTD' }],
    ['person and company', { person: 'p_sought', company: 'sought ltd' }],
    ['person and status', { person: 'p_sought', status: 'active' }],
    ['email', { email: 'P_SOUGHT@example.com' }],
  ])('by %s, in pages without gaps or repetitions, from as many documents as rows', async (_name, filter) => {
    const expected = ids.filter((_id, index) => {
      const i = ids.length - 1 - index;
      return i % 2 === 0 && (!('email' in filter) || PLACES[i % PLACES.length] !== 'resolution');
    });
    const queries = await recordQueries(app, 'conversations');
    const found: string[] = [];
    let after: string | null = null;
    do {
      const { edges, pageInfo }: Connection = await page({ ...filter, first: 7, after }, owner.read);
      found.push(...edges.map(({ node }) => node.id));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    const made = await queries.stop();
    expect(found).toEqual(expected);
    expect(made.length).toBeGreaterThan(0);
    for (const { indexes, keysExamined, docsExamined, sorts } of made) {
      expect(indexes).toHaveLength(1);
      expect(indexes[0]).toMatch(INDEX);
      expect(sorts).toBe(false);
      // A page has seven rows and the one that says whether others follow; two conditions share the index of the first.
      const most = 'person' in filter && 'company' in filter ? expected.length : 8;
      expect(docsExamined).toBeLessThanOrEqual(most);
      expect(keysExamined).toBeLessThanOrEqual(most + 1);
    }
  });

  test('over REST, after an id', async () => {
    const query = new URLSearchParams({ person_id: 'p_sought', limit: '10' });
    const list = async () => {
      const { body } = await app.request('GET', `/v1/conversations?${query}`, { key: owner.read });
      return (body.data as unknown as { id: string }[]).map(({ id }) => id);
    };
    const first = await list();
    query.set('starting_after', String(first.at(-1)));
    expect([...first, ...(await list())]).toEqual(ids.filter((_id, index) => index % 2 === 1).slice(0, 20));
  });
});

test('a search of messages is charged as a large read', async () => {
  const left = async (variables: object) =>
    Number((await app.graphql(LIST, { ...variables }, tenant.read)).headers.get('ratelimit-remaining'));
  const before = await left({ first: 1 });
  expect(before - (await left({ first: 1, text: 'engine' }))).toBeGreaterThan(4);
});
