import type { ErasureCount as CountShape } from '../../src/features/erasure/erasure.service.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { COUNTS_EXAMPLE, ErasureCount } from './erasures.ts';
import { privacyRoute } from './privacy-routes.ts';

const Deletion = builder.objectRef<{ id: string; counts: CountShape[] }>('Deletion').implement({
  subGraphs: GRAPHQL_AND_V1,
  description: 'What was deleted with an object.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the deleted object.' }),
    counts: t.expose('counts', {
      type: [ErasureCount],
      description: 'What was deleted, for every kind, 0 included.',
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
      example: { response: { id: '665f1c2ab8e4d3a1f0c9b7e6', counts: COUNTS_EXAMPLE } },
    }),
    type: Deletion,
    description:
      'Deletes a conversation with its messages, records, webhook events and their deliveries. It cannot be undone. Returns `NOT_FOUND` if the customer has no such conversation.',
    args: { id: t.arg.id({ required: true, description: 'ID of the conversation.' }) },
    resolve: async (_root, { id }, { tenant, services }) => ({
      id,
      counts: await services.erasures.deleteConversation(tenant(), id),
    }),
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
      example: { response: { id: 'm_1', counts: COUNTS_EXAMPLE } },
    }),
    type: Deletion,
    description:
      'Deletes a stored meeting with its transcript, provider record, activity and search postings. A later sync stores it again if the provider still lists it. Returns `NOT_FOUND` if the customer has no such meeting.',
    args: {
      id: t.arg.id({
        required: true,
        validate: { schema: text({ max: 500 }) },
        description: "The provider's ID of the meeting, `recorderMeetingId`.",
      }),
    },
    resolve: async (_root, { id }, { tenant, services }) => ({
      id,
      counts: await services.erasures.deleteMeeting(tenant(), id),
    }),
  }),
}));
