import type { Deletion as DeletionShape } from '../../src/features/erasure/object-deletion.service.ts';
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
        'Entry of the suppression list for the meeting, as `liftSuppression` takes it; null for a conversation, and for a meeting that was only deleted.',
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
      errors: {
        SERVICE_UNAVAILABLE:
          'The service is not available, or requests that began earlier have not ended within 20 seconds. Repeat the request: the conversation may be deleted already, and the repetition deletes the rest.',
      },
      example: {
        response: { id: '665f1c2ab8e4d3a1f0c9b7e6', counts: COUNTS_EXAMPLE, suppressionId: null },
      },
    }),
    type: Deletion,
    description:
      'Deletes a conversation with its messages, records, webhook events and their deliveries, its custom events, and the stored answers to requests with an `Idempotency-Key` that name it. Waits until requests that began earlier have ended. It cannot be undone. Returns `NOT_FOUND` if the customer has no such conversation, and nothing is left of it.',
    args: { id: t.arg.id({ required: true, description: 'ID of the conversation.' }) },
    resolve: (_root, { id }, { tenant, services }) => services.deletions.deleteConversation(tenant(), id),
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
          'The service is not available, or work that may still store the meeting has not ended within 20 seconds. Repeat the request: with `suppress`, the meeting may be suppressed already.',
        CONFLICT:
          'The customer suppresses 200,000 identifiers, the maximum, or the suppression of the meeting was lifted meanwhile.',
      },
      example: {
        query: { suppress: true },
        response: { id: 'm_1', counts: COUNTS_EXAMPLE, suppressionId: '665f1d53b8e4d3a1f0c9b852' },
      },
    }),
    type: Deletion,
    description:
      'Deletes a stored meeting with its transcript, provider record, activity and search postings, and suppresses it: later syncs and webhooks of the provider store nothing of it, until the entry of the suppression list is lifted. Waits until work that may still store it has ended. It cannot be undone. Returns `NOT_FOUND` if the customer has no such meeting.',
    args: {
      id: t.arg.id({
        required: true,
        validate: { schema: text() },
        description: "The provider's ID of the meeting, `recorderMeetingId`.",
      }),
      suppress: t.arg.boolean({
        defaultValue: true,
        description:
          'True to suppress the meeting. False only deletes: a later sync stores it again if the provider still lists it.',
      }),
    },
    resolve: (_root, args, { tenant, services, principal }) =>
      services.deletions.deleteMeeting(tenant(), args, principal.keyId),
  }),
}));
