import { type GraphQLField, getNullableType, isInputObjectType, isListType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startApp, type TestApp } from '../support/app.ts';
import { startProvider } from '../support/provider.ts';
import { startFakeSidecar } from '../support/sidecar.ts';
import { receiving } from '../webhooks/support.ts';
import { isRequired, mistakesOf, type Slot, withValue } from './mistakes.ts';
import {
  createFixture,
  documentOf,
  everythingStored,
  type Fixture,
  type GraphQLSample,
  graphqlSamples,
  MUTATIONS,
} from './samples.ts';

type Mutation = GraphQLField<unknown, unknown>;
const MIB = 1024 * 1024;

let app: TestApp;
let fixture: Fixture;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' });
  fixture = await createFixture(app, 'https://receiver.example.com/hooks');
});
afterAll(() => app.stop());

const sampleOf = (name: string): GraphQLSample => graphqlSamples(fixture)[name] ?? { variables: {} };
const keyOf = ({ admin }: GraphQLSample) => (admin ? app.admin : fixture.tenant.write);

/** Arguments and input fields, each at its path within the variables. */
function slotsOf(slots: readonly Slot[], at = ''): { path: string; slot: Slot }[] {
  return slots.flatMap((slot) => {
    const path = at + slot.name;
    const inner = getNullableType(slot.type);
    const item = isListType(inner) ? getNullableType(inner.ofType) : inner;
    const below = isInputObjectType(item) ? Object.values(item.getFields()) : [];
    return [{ path, slot }, ...slotsOf(below, `${path}.${isListType(inner) ? '0.' : ''}`)];
  });
}

const codesOf = ({ body }: Answer): unknown[] =>
  ((body.errors ?? []) as unknown as { extensions: { code: string } }[]).map(
    ({ extensions }) => extensions.code,
  );

const short = (value: unknown) => JSON.stringify(value)?.slice(0, 60);

/** Variables of the right document that are wrong, and what is wrong with them. */
function badVariables({ name, args }: Mutation): [what: string, variables: Record<string, unknown>][] {
  const { variables, wrong = [] } = sampleOf(name);
  const slots = slotsOf(args);
  const values: (readonly [string, unknown])[] = [
    ...slots.flatMap(({ path, slot }) => mistakesOf(slot).map((value) => [path, value] as const)),
    ...slots.filter(({ slot }) => isRequired(slot)).map(({ path }) => [path, undefined] as const),
    ...slots
      .filter(({ slot }) => isInputObjectType(getNullableType(slot.type)))
      .flatMap(({ path }) => [[`${path}.unknown`, 1] as const, [`${path}.$where`, '1'] as const]),
    ...wrong,
  ];
  return values.map(([path, value]) => [`${path} ${short(value)}`, withValue(variables, path, value)]);
}

test('every mutation has a sample', () => {
  expect(MUTATIONS.length).toBeGreaterThan(10);
  expect(MUTATIONS.map(({ name }) => name).filter((name) => !(name in graphqlSamples(fixture)))).toEqual([]);
});

describe.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))('%s', (name, mutation) => {
  const document = documentOf(mutation);

  test('requires authentication', async () => {
    const before = await everythingStored(app);
    const { variables, admin } = sampleOf(name);
    for (const key of ['', 'eg_w_short']) {
      const answer = await app.graphql(document, variables, key);
      expect([answer.status, codesOf(answer)]).toEqual([401, ['UNAUTHENTICATED']]);
    }
    for (const key of admin ? [fixture.tenant.read, fixture.tenant.write] : [fixture.tenant.read]) {
      const answer = await app.graphql(document, variables, key);
      expect([answer.status, codesOf(answer)]).toEqual([200, ['FORBIDDEN']]);
    }
    expect(await everythingStored(app)).toEqual(before);
  });

  test('rejects invalid variables', async () => {
    const before = await everythingStored(app);
    const wrong: string[] = [];
    for (const [what, variables] of badVariables(mutation)) {
      const answer = await app.graphql(document, variables, keyOf(sampleOf(name)));
      const codes = codesOf(answer);
      if (answer.status !== 200 || codes.length === 0 || codes.some((code) => code !== 'VALIDATION_FAILED'))
        wrong.push(`${what}: ${answer.status} ${short(answer.body)}`);
    }
    expect(wrong).toEqual([]);
    expect(await everythingStored(app)).toEqual(before);
  });

  test('rejects unknown fields', async () => {
    const before = await everythingStored(app);
    const { variables } = sampleOf(name);
    for (const bad of [
      document.replace('__typename', '__typename nope'),
      document.replace(name, `${name}s`),
      document.replace(/\}$/, ''),
      document.replace('mutation', 'query'),
    ].filter((text) => text !== document)) {
      const answer = await app.graphql(bad, variables, keyOf(sampleOf(name)));
      expect([answer.status, new Set(codesOf(answer))]).toEqual([400, new Set(['BAD_REQUEST'])]);
    }
    expect(await everythingStored(app)).toEqual(before);
  });
});

describe('POST /graphql', () => {
  const EVENT = 'recordEvent(input: { type: "signup", visitorId: "v_1" }) { id }';
  const send = async (
    body: unknown,
    headers: Record<string, string> = {},
    method = 'POST',
    path = '/graphql',
  ) => {
    const answer = await app.request(method, path, { key: fixture.tenant.write, body, headers });
    return { status: answer.status, code: codesOf(answer)[0] };
  };
  const unreadable = { status: 400, code: 'BAD_REQUEST' };

  test.each([
    ['fields nested 30 deep', `mutation { ${EVENT} } query Q ${'{ a '.repeat(30)}${'}'.repeat(30)}`],
    ['51 aliases', `mutation { ${Array.from({ length: 51 }, (_, i) => `a${i}: ${EVENT}`).join(' ')} }`],
    ['21 root fields', `mutation { ${Array.from({ length: 21 }, (_, i) => `a${i}: ${EVENT}`).join(' ')} }`],
    ['a literal of the wrong type', 'mutation { recordEvent(input: { type: 5, visitorId: "v" }) { id } }'],
    ['an unknown field in a literal', 'mutation { recordEvent(input: { $gt: "" }) { id } }'],
    ['no text', ''],
  ])('rejects %s before execution', async (_what, query) => {
    const before = await everythingStored(app);
    expect(await send({ query })).toEqual(unreadable);
    expect(await everythingStored(app)).toEqual(before);
  });

  test.each([
    ['a body that is no JSON', '{'],
    ['a batch', [{ query: `mutation { ${EVENT} }` }]],
    ['a query that is none', { query: { $gt: '' } }],
    ['variables that are a text', { query: `mutation { ${EVENT} }`, variables: '{}' }],
    ['an unknown member', { query: `mutation { ${EVENT} }`, id: 1 }],
  ])('rejects %s with 400', async (_what, body) => {
    const before = await everythingStored(app);
    expect(await send(body)).toEqual(unreadable);
    expect(await everythingStored(app)).toEqual(before);
  });

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/graphql',
  ])('rejects %s with 415', async (type) => {
    const before = await everythingStored(app);
    for (const body of [JSON.stringify({ query: `mutation { ${EVENT} }` }), `query=mutation { ${EVENT} }`])
      expect(await send(body, { 'content-type': type })).toEqual({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    expect(await everythingStored(app)).toEqual(before);
  });

  test('rejects 1 MiB and one byte with 413', async () => {
    expect(await send(' '.repeat(MIB + 1))).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  test('is the only method that executes a mutation: other methods return 405', async () => {
    const before = await everythingStored(app);
    const query = encodeURIComponent(`mutation { ${EVENT} }`);
    const refused = await app.request('GET', `/graphql?query=${query}`, { key: fixture.tenant.write });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect(await send({ query: `mutation { ${EVENT} }` }, {}, method)).toEqual({
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
      });
    expect(await everythingStored(app)).toEqual(before);
  });
});

test('every sample itself is accepted', async () => {
  const receiver = await receiving();
  const sidecar = await startFakeSidecar();
  const provider = await startProvider();
  const accepting = await startApp({
    ML_SIDECAR_URL: sidecar.url,
    DRIFT_CHECK_SCHEDULE: 'off',
    RECORDER_API_URL: provider.url,
    CONNECTOR_PACING: '1ms',
  });
  const there = await createFixture(accepting, receiver.url);
  const errors: string[] = [];
  for (const [name, { variables, admin }] of Object.entries(graphqlSamples(there))) {
    const mutation = MUTATIONS.find((field) => field.name === name);
    if (!mutation) continue;
    const key = admin ? accepting.admin : there.tenant.write;
    const answer = await accepting.graphql(documentOf(mutation), variables, key);
    errors.push(...codesOf(answer).map((code) => `${name}: ${code}`));
  }
  expect(errors).toEqual([]);
  await accepting.stop();
  await provider.stop();
  await sidecar.stop();
});
