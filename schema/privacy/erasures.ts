import { z } from 'zod';
import type { Erasure as ErasureShape } from '../../src/features/erasure/erasure.service.ts';
import {
  type ErasureCount as CountShape,
  DELIVERY_POLICIES,
  type ERASURE_STATUSES,
  MAX_ERASED_PEOPLE,
  MAX_RUNNING_ERASURES,
} from '../../src/features/erasure/erasure.types.ts';
import { ERASURE_KINDS, type ErasureKind } from '../../src/features/privacy/erasure-step.ts';
import { isNamed, PERSON_NAME, personName, UNNAMED } from '../../src/features/privacy/person-name.ts';
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

export const ErasureStatus = builder.enumType('ErasureStatus', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Status of an erasure.',
  values: {
    running: { description: 'In progress. After a crash of its process, another one continues.' },
    completed: { description: 'Everything that was found is erased; of a dry run: everything is counted.' },
    aborted: { description: 'It ended early; `error` has the cause.' },
  } satisfies Record<(typeof ERASURE_STATUSES)[number], object>,
});

export const DeliveryPolicy = builder.enumType('ErasureDeliveryPolicy', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'What happens to deliveries that are on their way.',
  values: {
    cancel: { description: 'They are removed; an attempt in progress still ends.' },
    finish: { description: 'The erasure waits until they have ended, for at most a day.' },
  } satisfies Record<(typeof DELIVERY_POLICIES)[number], object>,
});

const KINDS: Record<ErasureKind, string> = {
  conversations: 'Conversations of the person.',
  messages: 'Messages of these conversations.',
  identities: 'Identities of these conversations.',
  conversions: 'Conversions of these conversations.',
  resolutions: 'Resolutions of these conversations.',
  handoffs: 'Handoffs of these conversations.',
  outcomes: 'Outcome grades of these conversations.',
  preview_events: 'Events of custom types.',
  events: 'Webhook events with their payloads.',
  deliveries: 'Deliveries of these events.',
  attempts: 'Attempts of these deliveries, with their response bodies.',
  meetings: 'Meetings whose only guest was the person.',
  meeting_participations: "Meetings with other guests, from which the person's part is removed.",
  transcripts: 'Transcripts of removed meetings.',
  activities: 'Activities of removed meetings.',
  provider_records: 'Records of the meeting provider.',
  search_postings: 'Groups of the search index, which are built again without the person.',
  idempotency_answers: 'Stored answers to requests with an `Idempotency-Key`.',
  import_records: 'Conversations that an interrupted import had prepared.',
  redacted_texts: 'Texts of other people in which mentions of the person are replaced by `[erased]`.',
};

const Kind = builder.enumType('ErasureKind', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'What an erasure counts.',
  values: Object.fromEntries(ERASURE_KINDS.map((kind) => [kind, { description: KINDS[kind] }])) as Record<
    ErasureKind,
    { description: string }
  >,
});

export const ErasureCount = builder.objectRef<CountShape>('ErasureCount').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'Number of erased objects of a kind.',
  fields: (t) => ({
    kind: t.expose('kind', { type: Kind, description: 'What is counted.' }),
    count: t.exposeInt('count', {
      description: 'Number of objects that were found and erased; of a dry run: that were found.',
    }),
  }),
});

const Erasure = builder.objectRef<ErasureShape>('Erasure').implement({
  subGraphs: GRAPHQL_AND_V1,
  description:
    'An erasure: its progress while it runs, and afterwards its receipt, which contains no data of the person.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the erasure.' }),
    status: t.expose('status', { type: ErasureStatus, description: 'Status of the erasure.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if it counts only.' }),
    suppress: t.exposeBoolean('suppress', {
      description: "True if the person's identifiers are suppressed from its start on.",
    }),
    deliveries: t.expose('deliveries', {
      type: DeliveryPolicy,
      description: 'What happens to deliveries that are on their way.',
    }),
    counts: t.expose('counts', {
      type: [ErasureCount],
      description: 'What was erased so far, for every kind, 0 included.',
    }),
    createdBy: t.exposeString('createdBy', {
      nullable: true,
      description: 'ID of the API key that started it; null for the command line.',
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Time of the start.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the end; null while it runs.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Cause and next step; null unless it was aborted.',
    }),
  }),
});

const POLICY = {
  dryRun: z.boolean().nullish(),
  suppress: z.boolean().nullish(),
  deliveries: z.enum(DELIVERY_POLICIES).nullish(),
};
const people = z.array(personName).min(1).max(MAX_ERASED_PEOPLE);

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

/** Fields that name a person. */
const nameFields = (t: InputFields) => ({
  email: t.string({ description: 'Email address, in upper or lower case.' }),
  resolvedPersonId: t.string({ description: 'Person ID of an identity or a resolution.' }),
  visitorId: t.string({ description: 'Your identifier of the visitor.' }),
});

/** Fields that say how to erase. */
const policyFields = (t: InputFields) => ({
  dryRun: t.boolean({ defaultValue: false, description: 'True to count only.' }),
  suppress: t.boolean({
    defaultValue: true,
    description:
      'True to store later data of the person without what names them. False only deletes: later data is stored as a whole.',
  }),
  deliveries: t.field({
    type: DeliveryPolicy,
    defaultValue: 'cancel',
    description: 'What happens to deliveries that are on their way.',
  }),
});

const ErasePersonInput = builder.inputType('ErasePersonInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Names the person by one or more identifiers, of which at least one is required.',
  validate: { schema: z.object({ ...PERSON_NAME, ...POLICY }).refine(isNamed, UNNAMED) },
  fields: (t) => ({ ...nameFields(t), ...policyFields(t) }),
});

const PersonToErase = builder.inputType('PersonToErase', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Names a person by one or more identifiers, of which at least one is required.',
  fields: nameFields,
});

const ErasePeopleInput = builder.inputType('ErasePeopleInput', {
  subGraphs: GRAPHQL_AND_V1,
  description: 'Names people, each by one or more identifiers, and says how they are erased.',
  validate: { schema: z.object({ people, ...POLICY }) },
  fields: (t) => ({
    people: t.field({
      type: [PersonToErase],
      required: true,
      description: `The people; 1 to ${MAX_ERASED_PEOPLE.toLocaleString('en')}.`,
    }),
    ...policyFields(t),
  }),
});

const StartedErasures = builder.objectRef<{ erasureIds: string[] }>('StartedErasures').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'The erasures of a list of people.',
  fields: (t) => ({
    erasureIds: t.exposeIDList('erasureIds', {
      description:
        'IDs of the erasures, in the order of the people. People with the same identifiers have the same erasure.',
    }),
  }),
});

const ErasureConnection = connectionType('Erasure', Erasure, { rows: 'erasures' });
const ErasurePage = restPageType('Erasure', Erasure, { rows: 'erasures' });

export const COUNTS_EXAMPLE = ERASURE_KINDS.map((kind) => ({
  kind,
  count:
    { conversations: 3, messages: 24, identities: 1, events: 9, deliveries: 9, attempts: 10 }[
      kind as string
    ] ?? 0,
}));

const ERASURE_EXAMPLE = {
  id: '665f1d52b8e4d3a1f0c9b850',
  status: 'completed',
  dryRun: false,
  suppress: true,
  deliveries: 'cancel',
  counts: COUNTS_EXAMPLE,
  createdBy: '665f1c2ab8e4d3a1f0c9b700',
  startedAt: '2026-01-31T09:30:00.000Z',
  finishedAt: '2026-01-31T09:30:01.250Z',
  error: null,
};

builder.queryFields((t) => ({
  erasure: t.field({
    ...privacyRoute({
      graphql: true,
      method: 'GET',
      path: '/erasures/:erasureId',
      params: { erasureId: 'id' },
      scope: 'read',
      resource: 'account',
      summary: 'Get an erasure',
      example: { response: ERASURE_EXAMPLE },
    }),
    type: Erasure,
    description: 'An erasure by its ID. Returns `NOT_FOUND` if the customer has none with that ID.',
    args: { id: t.arg.id({ required: true, description: 'ID of the erasure.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.erasures.get(tenant(), id),
  }),
  erasures: t.field({
    type: ErasureConnection,
    description: "The customer's erasures, newest first.",
    scope: 'read',
    resource: 'account',
    args: connectionArgs(),
    complexity: connectionCost,
    resolve: (_root, args, { tenant, services }) =>
      toConnection(services.erasures.list(tenant(), connectionRequest(args)), args),
  }),
  listErasures: t.field({
    ...privacyRoute({
      method: 'GET',
      path: '/erasures',
      scope: 'read',
      resource: 'account',
      summary: 'List erasures',
      example: { response: { data: [ERASURE_EXAMPLE], nextCursor: null, hasMore: false } },
    }),
    type: ErasurePage,
    description: "The customer's erasures, newest first.",
    args: restPageArgs(),
    resolve: async (_root, args, { tenant, services }) =>
      toRestPage(await services.erasures.list(tenant(), restPageRequest(args))),
  }),
}));

const TOO_MANY = `${MAX_RUNNING_ERASURES.toLocaleString('en')} erasures of the customer are running.`;

builder.mutationField('erasePerson', (t) =>
  t.field({
    ...privacyRoute({
      graphql: true,
      method: 'POST',
      path: '/erasures',
      responseStatus: 201,
      createdId: (response) => (response as ErasureShape).id,
      body: 'input',
      scope: 'write',
      resource: 'account',
      summary: 'Erase a person',
      errors: { CONFLICT: TOO_MANY },
      example: {
        body: { email: 'ada@example.com', dryRun: true },
        response: { ...ERASURE_EXAMPLE, dryRun: true },
      },
    }),
    type: Erasure,
    description:
      'Erases a person: everything of their visitor ids, email addresses and person ids, which are followed from the given ones, and mentions of them elsewhere. Waits up to three seconds for the end; poll `erasure` if it is still running then. Returns the running erasure if the same identifiers are being erased. An unknown person is a receipt with zeros. `CONFLICT` while too many erasures of the customer are running.',
    args: {
      input: t.arg({
        type: ErasePersonInput,
        required: true,
        description: 'Who is erased, and how.',
      }),
    },
    resolve: (_root, { input }, { tenant, services, principal, signal }) =>
      services.erasures.start(tenant(), input, principal.keyId, signal),
  }),
);

builder.mutationField('erasePeople', (t) =>
  t.field({
    ...privacyRoute({
      graphql: true,
      method: 'POST',
      path: '/erasure-batches',
      responseStatus: 202,
      body: 'input',
      scope: 'write',
      resource: 'account',
      summary: 'Erase a list of people',
      errors: { CONFLICT: TOO_MANY },
      example: {
        body: { people: [{ email: 'ada@example.com' }, { visitorId: 'v_17' }], dryRun: true },
        response: { erasureIds: ['665f1d52b8e4d3a1f0c9b850', '665f1d52b8e4d3a1f0c9b851'] },
      },
    }),
    type: StartedErasures,
    description: `Erases up to ${MAX_ERASED_PEOPLE.toLocaleString('en')} people as \`erasePerson\` does, each with an erasure and a receipt of its own, and without waiting for their end; poll \`erasures\`. \`CONFLICT\` while too many erasures of the customer are running.`,
    args: {
      input: t.arg({ type: ErasePeopleInput, required: true, description: 'Who is erased, and how.' }),
    },
    resolve: (_root, { input }, { tenant, services, principal }) =>
      services.erasures.startMany(tenant(), input, principal.keyId),
  }),
);
