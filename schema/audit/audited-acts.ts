import type { AuditState, AuditTarget } from '../../src/features/audit/audit.types.ts';
import {
  deletedConversationState,
  deletedMeetingState,
  deletionState,
  erasureState,
  erasuresState,
  keyState,
  retentionState,
  suspensionState,
  tenantState,
} from '../../src/features/audit/audited-states.ts';
import type { GraphQLContext } from '../context.ts';

/** Arguments and result of a mutation; the fields below name the members that they read. */
// biome-ignore lint/suspicious/noExplicitAny: each act reads the arguments and the result of its own field
type Values = any;

/** What the audit log records of a mutation, apart from actor, time and origin. */
export interface AuditedAct {
  /** Type of the target. */
  target: string;
  /** Log of the service, for acts that concern no tenant; by default the log of the request's tenant. */
  log?: 'service' | ((args: Values, context: GraphQLContext) => Promise<number | null> | number | null);
  /** Returns the id of the target from the arguments. */
  idOf?(args: Values): AuditTarget['id'] | number;
  /** Returns the id of a target that the act creates. */
  createdId?(result: Values): AuditTarget['id'] | number;
  /** Reads the target as answers show it, without secrets; before and after the act. The id is empty if the act names none. */
  read?(context: GraphQLContext, id: string): Promise<object | null>;
  /** Returns what to record of the act in place of a state that can be read. */
  describe?(args: Values, result: Values): AuditState;
  /** False for calls that change nothing. */
  isAct?(args: Values): boolean;
}

const ofEndpoint = (idOf: AuditedAct['idOf']): AuditedAct => ({ target: 'webhookEndpoint', idOf });
const endpoint: AuditedAct = {
  ...ofEndpoint(({ id }) => id),
  read: async ({ services, tenant }, id) => {
    const found = await services.endpoints.find(tenant(), Number(id));
    if (!found) return null;
    const { updatedAt: _updatedAt, revision: _revision, ...state } = found;
    return state;
  },
};
const endpointWork = ofEndpoint(({ endpointId }) => endpointId);
const delivery: AuditedAct = { target: 'webhookDelivery', idOf: ({ id }) => id };
const recorder: AuditedAct = {
  target: 'recorderConnection',
  read: ({ services, tenant }) => services.providerConnection.settings(tenant()),
};
const sync: AuditedAct = { target: 'meetingSync', createdId: (run) => run?.id ?? null };
const ofService = (target: string): AuditedAct => ({ target, log: 'service' });
const alert: AuditedAct = { ...ofService('driftAlert'), idOf: ({ id }) => id };
const plannedChange: AuditedAct = { ...ofService('driftPlannedChange'), idOf: ({ id }) => id };
const feature: AuditedAct = { ...ofService('driftFeature'), idOf: (args) => args.feature };
const suspension: AuditedAct = {
  target: 'tenant',
  log: async ({ customerId }, { services }) => (await services.tenants.get(customerId)).customerId,
  idOf: ({ customerId }) => customerId,
  read: async ({ services }, id) =>
    suspensionState(await services.tenants.suspendedAt({ customerId: Number(id) })),
};
const apiKey: AuditedAct = {
  target: 'apiKey',
  log: async ({ id }, { services }) => (await services.keys.find(id))?.customerId ?? null,
  idOf: ({ id }) => id,
};

/** Mutations that the audit log records, by the name of the field. */
export const AUDITED_ACTS: Readonly<Record<string, AuditedAct>> = {
  createWebhookEndpoint: { ...endpoint, createdId: (result) => result.endpoint.id },
  updateWebhookEndpoint: endpoint,
  deleteWebhookEndpoint: endpoint,
  rotateWebhookSecret: {
    ...endpoint,
    describe: ({ overlapSeconds }) => ({ secret: 'rotated', overlapSeconds: overlapSeconds ?? 0 }),
  },
  seekEventFeed: {
    target: 'eventFeed',
    idOf: ({ name }) => name,
    describe: ({ to, consumer }) => ({ to, consumer: consumer ?? null }),
  },
  deleteEventFeed: {
    target: 'eventFeed',
    idOf: ({ name }) => name,
    describe: (_args, { cursor }) => ({ deleted: true, cursor }),
  },
  resendWebhookDelivery: delivery,
  recoverWebhookDeliveries: {
    ...endpointWork,
    isAct: ({ dryRun }) => dryRun !== true,
    describe: ({ since, until }, { queued }) => ({ since, until, queued }),
  },
  replayWebhookDeliveries: {
    ...endpointWork,
    isAct: ({ dryRun }) => dryRun !== true,
    describe: ({ since, until, status }, { count }) => ({ since, until, status, count }),
  },
  retryWebhookBacklog: {
    ...endpointWork,
    isAct: ({ dryRun }) => dryRun !== true,
    describe: ({ since, until, event, error }, result) => ({ since, until, event, error, ...result }),
  },
  cancelWebhookBacklog: { ...endpointWork, describe: (_args, { cancelled }) => ({ cancelled }) },
  sendTestWebhook: { ...endpointWork, describe: ({ event }) => ({ event }) },
  connectRecorder: recorder,
  disconnectRecorder: recorder,
  setRecorderWebhookSecret: {
    ...recorder,
    describe: (_args, { hasSecret }) => ({ secret: hasSecret ? 'set' : 'removed' }),
  },
  rotateRecorderWebhook: { ...recorder, describe: () => ({ address: 'rotated' }) },
  updateRecorderFieldMapping: {
    target: 'recorderFieldMapping',
    read: async ({ services, tenant }) => ({ mappings: await services.fieldMapping.get(tenant()) }),
  },
  syncMeetings: { ...sync, describe: ({ since, until, fullResync }) => ({ since, until, fullResync }) },
  cancelMeetingSync: sync,
  pauseMeetingSync: sync,
  resumeMeetingSync: sync,
  acknowledgeDriftAlert: { ...alert, describe: ({ note, until }) => ({ note, until }) },
  withdrawDriftAcknowledgement: alert,
  muteDriftFeature: {
    ...feature,
    describe: ({ model, stage, note, until }) => ({ model, stage, note, until }),
  },
  unmuteDriftFeature: { ...feature, describe: ({ model, stage }) => ({ model, stage }) },
  createDriftPlannedChange: {
    ...plannedChange,
    createdId: ({ id }) => id,
    describe: ({ model, stage, type, title, startsAt, endsAt }) => ({
      ...{ model, stage, type, title, startsAt, endsAt },
    }),
  },
  deleteDriftPlannedChange: plannedChange,
  setDriftFeatureSettings: {
    ...ofService('driftFeatureSettings'),
    describe: ({ model, features }) => ({ model, features }),
  },
  triggerDriftCheck: {
    ...ofService('driftCheck'),
    describe: ({ model, stage, at, reference }) => ({ model, stage, at, reference }),
  },
  endConsoleSession: {
    target: 'consoleSession',
    log: (_args, { principal }) => principal.tenant?.customerId ?? null,
    idOf: ({ id }) => id,
    describe: (_args, { address, startedAt }) => ({ address, startedAt }),
  },
  createTenant: {
    ...ofService('tenant'),
    createdId: ({ customerId }) => customerId,
    describe: (_args, tenant) => tenantState(tenant),
  },
  suspendTenant: suspension,
  resumeTenant: suspension,
  // The log of the service: the customer's own can no longer be read by the APIs.
  deleteTenant: {
    ...ofService('tenant'),
    isAct: ({ input }) => input.dryRun !== true,
    idOf: ({ customerId }) => customerId,
    describe: (_args, deletion) => deletionState(deletion),
  },
  createApiKey: {
    ...apiKey,
    idOf: () => null,
    log: ({ input }) => input.customerId ?? null,
    createdId: (result) => result.apiKey.id,
    describe: (_args, created) => keyState(created.apiKey),
  },
  // Never the identifiers: the entry outlives the person's data.
  erasePerson: {
    target: 'erasure',
    isAct: ({ input }) => input.dryRun !== true,
    createdId: ({ id }) => id,
    describe: (_args, erasure) => erasureState(erasure),
  },
  erasePeople: {
    target: 'erasures',
    isAct: ({ input }) => input.dryRun !== true,
    describe: ({ input }, { erasureIds }) => erasuresState(input, erasureIds),
  },
  updateRetention: {
    target: 'retention',
    idOf: () => 'retention',
    read: async ({ services, tenant }) => retentionState(await services.retention.get(tenant())),
  },
  liftSuppression: {
    target: 'suppression',
    idOf: ({ id }) => id,
    describe: (_args, { type, erasureId }) => ({ type, erasureId }),
  },
  deleteConversation: { target: 'conversation', idOf: ({ id }) => id, describe: deletedConversationState },
  deleteMeeting: {
    target: 'meeting',
    idOf: ({ id }) => id,
    describe: (_args, deletion) => deletedMeetingState(deletion),
  },
  updateApiKey: {
    ...apiKey,
    read: async ({ services }, id) => {
      const found = await services.keys.find(id);
      return found && keyState(found);
    },
  },
  rotateApiKey: {
    ...apiKey,
    describe: ({ overlapSeconds }, created) => ({
      replacedBy: created.apiKey.id,
      overlapSeconds: overlapSeconds ?? 0,
    }),
  },
  revokeApiKey: { ...apiKey, describe: (_args, key) => keyState(key) },
};

/** Mutations that the audit log leaves out: they are the data of conversations, which has a record of its own. */
export const NOT_AUDITED: readonly string[] = [
  ...['startConversation', 'appendMessages', 'resolveIdentity', 'recordConversion', 'recordResolution'],
  ...['requestHandoff', 'endConversation', 'closeConversation', 'markOutcome', 'recordEvent', 'createEvent'],
  // The progress of a consumer.
  'ackEventFeed',
];
