import { describe, expect, test } from 'vitest';
import {
  type Documents,
  PRINTED,
  readDocuments,
} from '../../../scripts/breaking-changes/released-documents.ts';
import { undocumentedChanges } from '../../../scripts/check-breaking-changes.ts';

type Schema = {
  type?: string | string[];
  properties: Record<string, Schema>;
  required: string[];
  enum?: string[];
  maxLength?: number;
  $ref?: string;
  anyOf?: Schema[];
  description?: string;
};
interface Operation {
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const NOTHING_BREAKING = '# Changelog\n\n## [0.2.0] - Unreleased\n\n### Added\n\n- Something.\n';
const released = await readDocuments(PRINTED);
/** A field with its description. */
const VISITOR_ID =
  /^ {2}"""\n {2}Your identifier of the visitor; `\[suppressed\]` for a suppressed person.\n {2}"""\n {2}visitorId: String!\n/m;
const ENDPOINTS = '/customers/{customerId}/webhook-endpoints';

/** Returns the breaking changes after an edit of the documents of the last release. */
async function changesAfter(
  edit: (v1: OpenApi, documents: Documents) => void,
  changelog = NOTHING_BREAKING,
): Promise<string[]> {
  const current = structuredClone(released);
  edit(current.openapi['openapi.v1.json'] as unknown as OpenApi, current);
  const changes = await undocumentedChanges(released, current, changelog);
  return changes.map(({ subject, message }) => `${subject}: ${message}`);
}

/** Replaces a piece of the GraphQL schema, which must contain it. */
const inSchema = (before: string | RegExp, after: string) => (_v1: OpenApi, documents: Documents) => {
  const changed = documents.schema.replace(before, after);
  expect(changed).not.toBe(documents.schema);
  documents.schema = changed;
};

/** Returns the named schema of a document, wherever a reference leads. */
const component = ({ components }: OpenApi, name: string): Schema => {
  const schema = components.schemas[name];
  if (!schema) throw new Error(`no component ${name}`);
  return schema;
};

const property = (schema: Schema, name: string): Schema => {
  const found = schema.properties[name];
  if (!found) throw new Error(`no property ${name}`);
  return found;
};

const remove = (schema: Schema, name: string) => {
  delete schema.properties[name];
  schema.required = schema.required.filter((required) => required !== name);
};

describe('a breaking change of the GraphQL schema', () => {
  test.each([
    ['a removed field', VISITOR_ID, '', 'Conversation.visitorId'],
    ['a new required argument', 'eventTypes: ', 'eventTypes(kind: String!): ', 'Query.eventTypes.kind'],
    ['a nullable field', /^ {2}messageCount: Int!/m, '  messageCount: Int', 'Conversation.messageCount'],
    ['another type', /^ {2}messageCount: Int!/m, '  messageCount: String!', 'Conversation.messageCount'],
    ['another default of an argument', 'first: Int = 10', 'first: Int = 20', 'WebhookEvent.deliveries.first'],
    [
      'another default of an input field',
      'closes: Boolean = false',
      'closes: Boolean = true',
      'ConversionInput.closes',
    ],
    ['a removed enum value', /^ {2}"""[^"]*"""\n {2}handed_off$/m, '', 'ConversationStatus.handed_off'],
  ])('%s', async (_what, before, after, subject) => {
    const changes = await changesAfter(inSchema(before, after));
    expect(changes).toEqual([expect.stringContaining(`${subject}: `)]);
  });
});

describe('a breaking change of an OpenAPI document', () => {
  test('a removed response property, on every route that returns it', async () => {
    const changes = await changesAfter((v1) => remove(component(v1, 'WebhookEndpoint'), 'url'));
    expect(changes).toContain(
      `GET /api/v1${ENDPOINTS}: data[] of the response 200 can be absent or have values that it never had`,
    );
    expect(changes).toContainEqual(expect.stringMatching(/^POST \/api\/v1.*: endpoint of the response 201/));
  });

  test.each<[string, (v1: OpenApi) => void, RegExp]>([
    [
      'a response property that can be null',
      (v1) => Object.assign(property(component(v1, 'WebhookEndpoint'), 'url'), { type: ['string', 'null'] }),
      /^GET .*webhook-endpoints: data\[\]\.url of the response 200 can be absent/,
    ],
    [
      'another type in a response',
      (v1) => Object.assign(property(component(v1, 'WebhookEndpoint'), 'url'), { type: 'integer' }),
      /data\[\]\.url of the response 200/,
    ],
    [
      'a narrowed type in a request',
      (v1) => Object.assign(property(component(v1, 'CreateWebhookEndpointInput'), 'url'), { maxLength: 10 }),
      /^POST \/api\/v1.*webhook-endpoints: url of the body no longer accepts every value that it accepted$/,
    ],
    [
      'a new required property of a request',
      (v1) => component(v1, 'CreateWebhookEndpointInput').required.push('description'),
      /^POST .*webhook-endpoints: the body no longer/,
    ],
    [
      'a removed value of a filter',
      (v1) => component(v1, 'WebhookDeliveryStatus').enum?.splice(0, 1),
      /^GET .*deliveries: the query parameter status no longer accepts/,
    ],
    [
      'a new required parameter',
      (v1) =>
        v1.paths['/event-types']?.get?.parameters.push({
          name: 'language',
          in: 'query',
          required: true,
          schema: { type: 'string', properties: {}, required: [] },
        }),
      /^GET \/api\/v1\/event-types: the query parameter language is new and required$/,
    ],
    [
      'a removed parameter',
      (v1) => {
        const list = v1.paths[ENDPOINTS]?.get;
        if (list) list.parameters = list.parameters.filter(({ name }) => name !== 'limit');
      },
      /^GET .*webhook-endpoints: the query parameter limit was removed$/,
    ],
    [
      'another default of a parameter',
      (v1) => {
        const limit = v1.paths[ENDPOINTS]?.get?.parameters.find(({ name }) => name === 'limit');
        Object.assign(limit?.schema ?? {}, { default: 20 });
      },
      /^GET .*webhook-endpoints: the query parameter limit has another default$/,
    ],
    [
      'another type of a path parameter',
      (v1) => {
        const id = v1.paths[`${ENDPOINTS}/{endpointId}`]?.get?.parameters.find(
          ({ name }) => name === 'endpointId',
        );
        Object.assign(id?.schema ?? {}, { type: 'boolean' });
      },
      /^GET .*\{endpointId\}: the path parameter 2 no longer accepts every value that it accepted$/,
    ],
    [
      'a higher scope',
      (v1) => Object.assign(v1.paths[ENDPOINTS]?.get ?? {}, { 'x-required-scope': 'admin' }),
      /^GET .*webhook-endpoints: the scope admin is required$/,
    ],
    ['a removed method', (v1) => delete v1.paths[ENDPOINTS]?.get, /^GET .*webhook-endpoints: was removed$/],
    [
      'another status of success',
      (v1) => {
        const post = v1.paths[ENDPOINTS]?.post;
        const { 201: created, ...others } = post?.responses ?? {};
        if (post && created) post.responses = { ...others, 200: created };
      },
      /^POST .*webhook-endpoints: the response 201 was removed$/,
    ],
  ])('%s', async (_what, edit, expected) => {
    expect(await changesAfter(edit)).toContainEqual(expect.stringMatching(expected));
  });

  test('a removed property of the data of a webhook', async () => {
    const changes = await changesAfter((v1) => remove(component(v1, 'ConversationEndedData'), 'status'));
    expect(changes).toEqual([
      'conversation.ended: data of the body can be absent or have values that it never had',
    ]);
  });

  test('a removed webhook', async () => {
    const changes = await changesAfter((v1) => {
      const { webhooks } = v1 as unknown as { webhooks: Record<string, unknown> };
      delete webhooks['conversation.ended'];
    });
    expect(changes).toEqual(['conversation.ended: was removed']);
  });
});

describe('no breaking change', () => {
  test.each<[string, (v1: OpenApi, documents: Documents) => void]>([
    ['the same documents', () => {}],
    ['a new field', inSchema(/^type Conversation \{/m, 'type Conversation {\n  mood: String')],
    ['a new optional argument', inSchema('eventTypes: ', 'eventTypes(kind: String): ')],
    ['a new default', inSchema('enabled: Boolean\n', 'enabled: Boolean = true\n')],
    ['another description', inSchema('A conversation with a visitor.', 'A dialogue.')],
    ['a new enum value', (v1) => component(v1, 'WebhookDeliveryStatus').enum?.push('paused')],
    [
      'a new response property',
      (v1) => {
        const endpoint = component(v1, 'WebhookEndpoint');
        endpoint.properties.mood = { type: 'string', properties: {}, required: [] };
        endpoint.required.push('mood');
      },
    ],
    [
      'a new property of a webhook',
      (v1) => {
        const data = component(v1, 'ConversationEndedData');
        data.properties.mood = { type: 'string', properties: {}, required: [] };
        data.required.push('mood');
      },
    ],
    [
      'a wider type in a request',
      (v1) => delete property(component(v1, 'CreateWebhookEndpointInput'), 'url').maxLength,
    ],
    [
      'another spelling of a nullable type',
      (v1) => {
        const endpoint = component(v1, 'WebhookEndpoint');
        endpoint.properties.description = {
          anyOf: [{ type: 'string' }, { type: 'null' }],
        } as unknown as Schema;
      },
    ],
    [
      'another name of a component',
      (v1, documents) => {
        const text = JSON.stringify(v1)
          .replaceAll('schemas/WebhookEndpoint"', 'schemas/Hook"')
          .replace('"WebhookEndpoint":', '"Hook":');
        expect(text).toContain('"Hook":');
        documents.openapi['openapi.v1.json'] = JSON.parse(text);
      },
    ],
    [
      'another name of a path parameter',
      (v1, documents) => {
        documents.openapi['openapi.v1.json'] = JSON.parse(
          JSON.stringify(v1)
            .replaceAll('{endpointId}', '{webhookEndpointId}')
            .replaceAll('"name":"endpointId","in":"path"', '"name":"webhookEndpointId","in":"path"'),
        );
      },
    ],
  ])('%s', async (_what, edit) => {
    expect(await changesAfter(edit)).toEqual([]);
  });
});

describe('the changelog', () => {
  const edit = inSchema(VISITOR_ID, '');
  const changelog = (part: string, version = '[0.2.0] - Unreleased') =>
    `# Changelog\n\n## ${version}\n\n### ${part}\n\n- \`Conversation.visitorId\` is removed; use \`visitor\`.\n\n### Fixed\n\n- x\n\n## [0.1.0] - 2026-11-30\n\n### Breaking\n\n- \`Query.health\`\n`;

  test('permits a change that its part "Breaking" names', async () => {
    expect(await changesAfter(edit, changelog('Breaking'))).toEqual([]);
  });

  test('covers the arguments of a field that it names', async () => {
    const required = inSchema('eventTypes: ', 'eventTypes(kind: String!): ');
    const named = '# Changelog\n\n## [0.2.0]\n\n### Breaking\n\n- `Query.eventTypes` requires a kind.';
    expect(await changesAfter(required, named)).toEqual([]);
  });

  test.each([
    ['in another part', changelog('Changed')],
    ['in an earlier version', changelog('Breaking').replace('## [0.2.0]', '## [0.3.0]\n\n## [0.2.0]')],
    ['by a name that only begins alike', changelog('Breaking').replace('.visitorId', '.visitor')],
  ])('does not permit one that it names %s', async (_where, text) => {
    expect(await changesAfter(edit, text)).toHaveLength(1);
  });
});
