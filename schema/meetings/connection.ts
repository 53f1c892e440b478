import { z } from 'zod';
import type {
  CONNECTION_STATUSES,
  RecorderConnection as ConnectionShape,
  RecorderWebhook as WebhookShape,
} from '../../src/features/meetings/meetings.types.ts';
import { PROVIDER_KEY_PATTERN } from '../../src/features/meetings/provider/provider.types.ts';
import { isSigningSecret } from '../../src/platform/standard-webhooks.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import { MeetingSyncRun } from './sync-runs.ts';

const apiKey = text().regex(
  PROVIDER_KEY_PATTERN,
  'Must contain only visible ASCII characters, without spaces.',
);

const signingSecret = z.string().refine(isSigningSecret, 'Must be whsec_ and the base64 of 16 to 96 bytes.');

const RecorderStatus = builder.enumType('RecorderStatus', {
  description: 'Status of the connection to the meeting provider.',
  values: {
    connected: { description: 'The key was valid when it was last used.' },
    key_invalid: { description: 'The provider rejects the key: no sync runs until a new key is connected.' },
    failing: { description: 'The last sync failed for another reason; the next sync retries.' },
  } satisfies Record<(typeof CONNECTION_STATUSES)[number], object>,
});

const RecorderConnection = builder.objectRef<ConnectionShape>('RecorderConnection').implement({
  description: 'Connection to the meeting provider. The API key is never returned.',
  fields: (t) => ({
    status: t.expose('status', { type: RecorderStatus, description: 'Status of the connection.' }),
    connectedAt: t.expose('connectedAt', {
      type: 'DateTime',
      description: 'Time at which the current key was connected.',
    }),
    lastSyncAt: t.expose('lastSyncAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Start of the last successful sync, except those of a chosen time range; null before the first success.',
    }),
    nextSyncAt: t.expose('nextSyncAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the next scheduled sync; null if none is scheduled.',
    }),
    lastRun: t.field({
      type: MeetingSyncRun,
      nullable: true,
      description: 'The newest sync, which may still be running; null if there was none.',
      resolve: (_connection, _args, { tenant, services }) => services.syncs.last(tenant()),
    }),
  }),
});

const RecorderWebhook = builder.objectRef<WebhookShape>('RecorderWebhook').implement({
  description:
    'Address to which the meeting provider sends webhooks of Standard Webhooks, and the state of their signing secret. The secret is never returned.',
  fields: (t) => ({
    path: t.exposeString('path', {
      nullable: true,
      description:
        'Path with an unguessable token, below the address of this service; null for a connection of an earlier version until `rotateRecorderWebhook`.',
    }),
    hasSecret: t.exposeBoolean('hasSecret', {
      description: 'True once the signing secret is set; until then, every webhook is refused with HTTP 401.',
    }),
  }),
});

builder.queryFields((t) => ({
  recorderWebhook: t.field({
    type: RecorderWebhook,
    nullable: true,
    description:
      'Webhook address of the connection to the meeting provider; null if none is connected. Requires the scope `write`. `NOT_CONFIGURED` if the service has no provider.',
    scope: 'write',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.providerWebhook.find(tenant()),
  }),
  recorderConnection: t.field({
    type: RecorderConnection,
    nullable: true,
    description:
      'Connection to the meeting provider; null if none is connected. `NOT_CONFIGURED` if the service has no provider.',
    scope: 'read',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.providerConnection.find(tenant()),
  }),
}));

builder.mutationFields((t) => ({
  connectRecorder: t.field({
    type: RecorderConnection,
    description:
      'Connects the meeting provider, or replaces the key and cancels a sync that runs with the previous one. The key is checked first: `PROVIDER_KEY_INVALID` if the provider rejects it, `PROVIDER_UNAVAILABLE` if the provider does not respond; neither changes anything. `RATE_LIMITED` beyond five keys per minute. `NOT_CONFIGURED` if the service has no provider.',
    scope: 'write',
    resource: 'meetings',
    args: {
      apiKey: t.arg.string({
        required: true,
        validate: { schema: apiKey },
        description: "The provider's API key. It is stored encrypted and never returned.",
      }),
    },
    resolve: (_root, { apiKey: key }, { tenant, services }) =>
      services.providerConnection.connect(tenant(), key),
  }),
  setRecorderWebhookSecret: t.field({
    type: RecorderWebhook,
    description:
      "Sets the signing secret of the provider's webhooks, or removes it. `NOT_CONFIGURED` if no recorder is connected.",
    scope: 'write',
    resource: 'meetings',
    args: {
      secret: t.arg.string({
        validate: { schema: signingSecret },
        description:
          'Signing secret that the provider shows, `whsec_…`; null to remove it. It is stored encrypted and never returned.',
      }),
    },
    resolve: (_root, { secret }, { tenant, services }) =>
      services.providerWebhook.setSecret(tenant(), secret ?? null),
  }),
  rotateRecorderWebhook: t.field({
    type: RecorderWebhook,
    description:
      'Replaces the token of the webhook address; the previous address is refused at once with HTTP 404. `NOT_CONFIGURED` if no recorder is connected.',
    scope: 'write',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.providerWebhook.rotate(tenant()),
  }),
  disconnectRecorder: t.boolean({
    description:
      'Deletes the key and cancels a running sync. Meetings, activities and the field mapping are kept. False if no provider was connected. The first sync of a later connection fetches 90 days again.',
    scope: 'write',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.providerConnection.disconnect(tenant()),
  }),
}));
