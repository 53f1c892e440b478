import { z } from 'zod';
import type {
  CONNECTION_STATUSES,
  RecorderConnection as ConnectionShape,
} from '../../src/features/meetings/meetings.types.ts';
import { builder } from '../builder.ts';
import { MeetingSyncRun } from './runs.ts';

/** It travels in a header: visible ASCII without blanks. */
const apiKey = z
  .string()
  .min(1, 'Must not be empty.')
  .max(500, 'Must be at most 500 characters long.')
  .regex(/^[\x21-\x7e]*$/, 'Must be letters, digits and signs, without blanks.');

const RecorderStatus = builder.enumType('RecorderStatus', {
  description: 'How the connection to the meeting provider is.',
  values: {
    connected: { description: 'The key works, as far as is known.' },
    key_invalid: {
      description: 'The provider has refused the key: nothing is synced until a new one is connected.',
    },
    failing: { description: 'The last sync failed for another reason; the next one tries again.' },
  } satisfies Record<(typeof CONNECTION_STATUSES)[number], object>,
});

const RecorderConnection = builder.objectRef<ConnectionShape>('RecorderConnection').implement({
  description: "A tenant's connection to the meeting provider. The key is not shown.",
  fields: (t) => ({
    status: t.expose('status', { type: RecorderStatus, description: 'How it is.' }),
    connectedAt: t.expose('connectedAt', {
      type: 'DateTime',
      description: 'When the key was connected that is in use.',
    }),
    lastSyncAt: t.expose('lastSyncAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the last sync that succeeded; null: none has.',
    }),
    nextSyncAt: t.expose('nextSyncAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next sync starts by itself; null: none does.',
    }),
    lastRun: t.field({
      type: MeetingSyncRun,
      nullable: true,
      description: 'The newest sync, which may still be running; null: there was none.',
      resolve: (_connection, _args, { tenant, services }) => services.syncs.last(tenant()),
    }),
  }),
});

builder.queryField('recorderConnection', (t) =>
  t.field({
    type: RecorderConnection,
    nullable: true,
    description:
      "The tenant's connection to the meeting provider; null: none. `NOT_CONFIGURED` where the service has no provider.",
    authScopes: { read: true },
    resolve: (_root, _args, { tenant, services }) => services.recorder.find(tenant()),
  }),
);

builder.mutationFields((t) => ({
  connectRecorder: t.field({
    type: RecorderConnection,
    description:
      'Connects the meeting provider, or replaces the key, with which a running sync is cancelled. The key is checked first: `PROVIDER_KEY_INVALID` when the provider refuses it, `PROVIDER_UNAVAILABLE` when it does not answer; nothing changes then. `NOT_CONFIGURED` where the service has no provider.',
    authScopes: { write: true },
    args: {
      apiKey: t.arg.string({
        required: true,
        validate: { schema: apiKey },
        description: "The provider's API key. It is stored encrypted and never shown again.",
      }),
    },
    resolve: (_root, { apiKey: key }, { tenant, services }) => services.recorder.connect(tenant(), key),
  }),
  disconnectRecorder: t.boolean({
    description:
      'Forgets the key and cancels a running sync. Meetings, activities and the field mapping stay. False when nothing was connected. A later connection goes back 90 days again.',
    authScopes: { write: true },
    resolve: (_root, _args, { tenant, services }) => services.recorder.disconnect(tenant()),
  }),
}));
