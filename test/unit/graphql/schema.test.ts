import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  validateSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildSchemas, PLACEHOLDER_FIELD } from '../../../schema/index.ts';
import { requiredAccess } from '../../../schema/required-access.ts';
import type { RestRoute } from '../../../schema/rest-route.ts';
import { SCOPES } from '../../../src/features/tenants/scopes.ts';

const schemas = buildSchemas();
const surfaces = Object.entries(schemas) as [string, GraphQLSchema][];

const ownTypes = (schema: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );

/** Every element of a schema by its coordinate, with its description. */
function* elements(schema: GraphQLSchema): Generator<[string, string | null | undefined]> {
  for (const type of ownTypes(schema)) {
    if (!isPlaceholder(type)) yield [type.name, type.description];
    if (isEnumType(type))
      for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description];
    if (!isObjectType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, field.description];
      if (!('args' in field)) continue;
      for (const arg of field.args) yield [`${type.name}.${field.name}(${arg.name}:)`, arg.description];
    }
  }
}

const isPlaceholder = (type: GraphQLNamedType) => isObjectType(type) && PLACEHOLDER_FIELD in type.getFields();

const rootFields = (schema: GraphQLSchema) =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((type) => Object.values(type?.getFields() ?? {}));

describe.each(surfaces)('the schema of %s', (_name, schema) => {
  test('is valid', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  test('describes every type, field, argument and enum value', () => {
    const bare = [...elements(schema)]
      .filter(([, description]) => !description?.trim())
      .map(([name]) => name);
    expect(bare).toEqual([]);
  });

  test('names the specification of every scalar', () => {
    const scalars = ownTypes(schema).filter(isScalarType);
    // Two formats in one; REST only, where OpenAPI describes it as a string.
    const unspecified = scalars.filter(({ name, specifiedByURL }) => name !== 'Instant' && !specifiedByURL);
    expect(unspecified).toEqual([]);
    expect(scalars.length).toBeGreaterThan(0);
  });

  test('spells enum values in lower case', () => {
    const values = ownTypes(schema).flatMap((type) => (isEnumType(type) ? type.getValues() : []));
    expect(values.filter(({ name, value }) => name !== name.toLowerCase() || name !== value)).toEqual([]);
  });
});

test('has the GraphQL roots of the contract', () => {
  const names = (type: ReturnType<GraphQLSchema['getQueryType']>) =>
    Object.keys(type?.getFields() ?? {}).sort();
  expect(names(schemas.graphql.getQueryType())).toEqual(
    expect.arrayContaining([
      'activity',
      'usage',
      'apiKeys',
      'eventTypes',
      'health',
      'tenants',
      'viewer',
      'webhookDeliveries',
      'webhookDelivery',
      'webhookEndpoint',
      'webhookEndpoints',
      'webhookEvent',
      'webhookEvents',
    ]),
  );
  expect(names(schemas.graphql.getMutationType())).toEqual(
    expect.arrayContaining([
      'createApiKey',
      'createTenant',
      'createWebhookEndpoint',
      'deleteWebhookEndpoint',
      'recordEvent',
      'recoverWebhookDeliveries',
      'resendWebhookDelivery',
      'revokeApiKey',
      'rotateWebhookSecret',
      'sendTestWebhook',
      'updateWebhookEndpoint',
    ]),
  );
  expect(names(schemas.graphql.getSubscriptionType())).toContain('webhookDeliveryUpdated');
});

test('connections take first and after only, and there is no Node', () => {
  expect(schemas.graphql.getType('Node')).toBeUndefined();
  const connections = ownTypes(schemas.graphql)
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ type }) => {
      const named = getNamedType(type);
      return isObjectType(named) && 'pageInfo' in named.getFields();
    });
  expect(connections.length).toBeGreaterThanOrEqual(5);
  for (const { args } of connections) {
    const names = args.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['first', 'after']));
    expect(names).not.toEqual(expect.arrayContaining(['last']));
    expect(names).not.toEqual(expect.arrayContaining(['before']));
  }
});

describe('REST', () => {
  const mounts = surfaces.filter(([name]) => name !== 'graphql');
  const routed = mounts.flatMap(([mount, schema]) =>
    rootFields(schema)
      .filter(({ name }) => name !== PLACEHOLDER_FIELD)
      .map((field) => ({ mount, field, route: field.extensions.rest as RestRoute | undefined })),
  );

  test('every root field of a mount has a route of that mount, and no two have the same', () => {
    expect(routed.filter(({ mount, route }) => route?.mount !== mount)).toEqual([]);
    const addresses = routed.map(({ mount, route }) => `${mount} ${route?.method} ${route?.path}`);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addresses.sort()).toEqual(
      expect.arrayContaining([
        'preview POST /events',
        'v1 DELETE /customers/:customerId/webhook-endpoints/:endpointId',
        'v1 GET /customers/:customerId/webhook-endpoints',
        'v1 GET /customers/:customerId/webhook-endpoints/:endpointId',
        'v1 GET /customers/:customerId/webhook-endpoints/:endpointId/deliveries',
        'v1 GET /customers/:customerId/webhook-endpoints/:endpointId/deliveries/:deliveryId',
        'v1 GET /event-types',
        'v1 PATCH /customers/:customerId/webhook-endpoints/:endpointId',
        'v1 POST /customers/:customerId/webhook-endpoints',
        'v1 POST /customers/:customerId/webhook-endpoints/:endpointId/deliveries/:deliveryId/resend',
        'v1 POST /customers/:customerId/webhook-endpoints/:endpointId/recover',
        'v1 POST /customers/:customerId/webhook-endpoints/:endpointId/rotate-secret',
        'v1 POST /customers/:customerId/webhook-endpoints/:endpointId/test',
      ]),
    );
  });

  test('path parameters and the body are arguments of the field', () => {
    for (const { field, route } of routed) {
      const names = field.args.map(({ name }) => name);
      for (const [, parameter = ''] of route?.path.matchAll(/:(\w+)/g) ?? []) {
        if (parameter !== 'customerId') expect(names).toContain(route?.params?.[parameter] ?? parameter);
      }
      if (route?.body) expect(names).toContain(route.body);
    }
  });

  test('no mount has connections, and lists omit payload and attempts', () => {
    for (const [, schema] of mounts) {
      expect(
        Object.keys(schema.getTypeMap()).filter((name) => /Connection$|Edge$|PageInfo/.test(name)),
      ).toEqual([]);
    }
    const fields = (name: string) => {
      const type = schemas.v1.getType(name);
      return isObjectType(type) ? Object.keys(type.getFields()) : [];
    };
    expect(fields('WebhookEndpoint')).not.toContain('deliveries');
    expect(fields('WebhookDelivery')).not.toContain('payload');
    expect(fields('WebhookDeliveryDetail')).toEqual([
      ...fields('WebhookDelivery'),
      'payload',
      'attempts',
      'scheduledAttempts',
      'manualAttempts',
    ]);
  });
});

test.each(surfaces)('every root field of %s declares the scope of its callers', (_name, schema) => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = roots.flatMap((type) =>
    type && !isPlaceholder(type) ? Object.values(type.getFields()) : [],
  );
  expect(fields.length).toBeGreaterThan(0);
  for (const field of fields) expect(SCOPES).toContain(requiredAccess(field).scope);
});
