import type { Suppression as SuppressionShape } from '../../src/features/privacy/suppression.service.ts';
import {
  SUPPRESSION_TYPES,
  type SuppressionType as Type,
} from '../../src/features/privacy/suppression-types.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import {
  connectionArgs,
  connectionCost,
  connectionRequest,
  connectionType,
  restPageArgs,
  restPageRequest,
  restPageType,
  toConnection,
  toRestPage,
} from '../paging.ts';
import { privacyRoute } from './privacy-routes.ts';

const TYPES: Record<Type, string> = {
  email: 'Email address.',
  visitor_id: 'Visitor id.',
  resolved_person_id: 'Person id.',
  phone: "Phone number in the person's own messages.",
  name: 'Full name of two to ten words, without regard to their order.',
  meeting: "The provider's ID of a deleted meeting.",
};

const SuppressionType = builder.enumType('SuppressionType', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Type of a suppressed identifier.',
  values: Object.fromEntries(SUPPRESSION_TYPES.map((type) => [type, { description: TYPES[type] }])) as Record<
    Type,
    { description: string }
  >,
});

const Suppression = builder.objectRef<SuppressionShape>('Suppression').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'A suppressed identifier of an erased person or a deleted meeting, as a keyed hash.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the entry.' }),
    type: t.expose('type', { type: SuppressionType, description: 'Type of the identifier.' }),
    hash: t.exposeString('hash', {
      description: 'HMAC-SHA256 of the identifier under a key of the customer, in base64url.',
    }),
    erasureId: t.exposeID('erasureId', {
      nullable: true,
      description: 'The erasure that added it; null for a deleted meeting.',
    }),
    createdBy: t.exposeString('createdBy', {
      nullable: true,
      description:
        'ID of the API key that started the erasure or deleted the meeting; null for the command line.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
  }),
});

const SuppressionConnection = connectionType('Suppression', Suppression, { rows: 'suppressed identifiers' });
const SuppressionPage = restPageType('Suppression', Suppression, { rows: 'suppressed identifiers' });

const SUPPRESSION_EXAMPLE = {
  id: '665f1d53b8e4d3a1f0c9b851',
  type: 'email',
  hash: 'mYq0b2wX3dE8cQn5T7uR1vZ4kL6pJ9sA0hGfDeCbWxY',
  erasureId: '665f1d52b8e4d3a1f0c9b850',
  createdBy: '665f1c2ab8e4d3a1f0c9b700',
  createdAt: '2026-01-31T09:30:00.000Z',
};

builder.queryFields((t) => ({
  suppressions: t.field({
    type: SuppressionConnection,
    description: "The customer's suppressed identifiers as hashes, newest first.",
    scope: 'read',
    resource: 'account',
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(services.suppressions.list(tenant(), connectionRequest(args)), args),
  }),
  listSuppressions: t.field({
    ...privacyRoute({
      method: 'GET',
      path: '/suppressions',
      scope: 'read',
      resource: 'account',
      summary: 'List suppressed identifiers',
      example: { response: { data: [SUPPRESSION_EXAMPLE], nextCursor: null, hasMore: false } },
    }),
    type: SuppressionPage,
    description: "The customer's suppressed identifiers as hashes, newest first.",
    args: restPageArgs(),
    resolve: async (_root, args, { tenant, services }) =>
      toRestPage(await services.suppressions.list(tenant(), restPageRequest(args))),
  }),
}));

builder.mutationField('liftSuppression', (t) =>
  t.field({
    ...privacyRoute({
      graphql: true,
      method: 'DELETE',
      path: '/suppressions/:suppressionId',
      params: { suppressionId: 'id' },
      scope: 'write',
      resource: 'account',
      summary: 'Lift a suppression',
      example: { response: SUPPRESSION_EXAMPLE },
    }),
    type: Suppression,
    description:
      'Lifts the suppression of one identifier and returns the entry: later data with it is stored as a whole again. Other identifiers of the person stay suppressed. A meeting is stored again by the next sync that lists it. Returns `NOT_FOUND` if the customer has no such entry.',
    args: { id: t.arg.id({ required: true, description: 'ID of the entry.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.suppressions.lift(tenant(), id),
  }),
);
