import type { Deletion as DeletionShape } from '../../src/features/erasure/erasure.service.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { COUNTS_EXAMPLE, ErasureCount } from './erasures.ts';
import { privacyRoute } from './privacy-routes.ts';

const Deletion = builder.objectRef<DeletionShape>('Deletion').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'What was deleted with an object.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the deleted object.' }),
    counts: t.expose('counts', {
      type: [ErasureCount],
      description: 'What was deleted, for every kind, 0 included.',
    }),
    suppressionId: t.exposeID('suppressionId', {
      nullable: true,
      description:
        'Entry of the suppression list that keeps the meeting away, as `liftSuppression` takes it; null for a conversation, and for a meeting that was only deleted.',
    }),
  }),
});

builder.mutationFields((t) => ({
  deleteConversation: t.field({
    ...privacyRoute({
      graphql: true,
      method: 'DELETE',
      path: '/conversations/:conversationId',
      params: { conversationId: 'id' },
      scope: 'write',
      resource: 'conversations',
      summary: 'Delete a conversation',
      example: {
        response: { id: '665f1c2ab8e4d3a1f0c9b7e6', counts: COUNTS_EXAMPLE, suppressionId: null },
      },
    }),
    type: Deletion,
    description:
      'Deletes a conversation with its messages, records, webhook events and their deliveries, its custom events, and the stored answers to requests with an `Idempotency-Key` that name it. It cannot be undone. Returns `NOT_FOUND` if the customer has no such conversation.',
    args: { id: t.arg.id({ required: true, description: 'ID of the conversation.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.erasures.deleteConversation(tenant(), id),
  }),
  deleteMeeting: t.field({
    ...privacyRoute({
      graphql: true,
      method: 'DELETE',
      path: '/meetings/:meetingId',
      params: { meetingId: 'id' },
      scope: 'write',
      resource: 'meetings',
      summary: 'Delete a meeting',
      errors: {
        SERVICE_UNAVAILABLE:
          'Work that may still store the meeting has not ended. The meeting is suppressed; repeat the request.',
      },
      example: {
        query: { suppress: true },
        response: { id: 'm_1', counts: COUNTS_EXAMPLE, suppressionId: '665f1d53b8e4d3a1f0c9b852' },
      },
    }),
    type: Deletion,
    description:
      'Deletes a stored meeting with its transcript, provider record, activity and search postings, and keeps it away: later syncs and webhooks of the provider store nothing of it, until the entry of the suppression list is lifted. Waits until work that may still store it has ended. It cannot be undone. Returns `NOT_FOUND` if the customer has no such meeting.',
    args: {
      id: t.arg.id({
        required: true,
        validate: { schema: text({ max: 500 }) },
        description: "The provider's ID of the meeting, `recorderMeetingId`.",
      }),
      suppress: t.arg.boolean({
        description:
          'True to keep the meeting away; true by default. False only deletes: a later sync stores it again if the provider still lists it.',
      }),
    },
    resolve: (_root, args, { tenant, services, principal }) =>
      services.erasures.deleteMeeting(tenant(), args, principal.keyId),
  }),
}));
