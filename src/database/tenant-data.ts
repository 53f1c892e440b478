import { type Connection, mongo } from 'mongoose';
import type { TenantRemoval } from '../features/erasure/tenant-removal.ts';
import type { ErasureStep } from '../features/privacy/erasure-step.ts';

/** A collection with documents of customers, which their deletion removes. */
interface OwnCollection {
  filter: (customerId: number, db: mongo.Db) => mongo.Document | Promise<mongo.Document>;
  /** True if they are removed at once: they are few, or without an index that begins with the customer. */
  atOnce?: boolean;
  /** True if they are removed at the end, when nothing of the customer can arrive any more. */
  isFinal?: boolean;
}

/** A collection that the deletion of a customer leaves as it is, with the reason. */
interface KeptCollection {
  kept: string;
}

const byCustomer: OwnCollection = { filter: (customerId) => ({ customerId }) };
const byCustomerAtOnce: OwnCollection = { ...byCustomer, atOnce: true };
/** At most one document, whose id is the customer's. */
const byId: OwnCollection = { filter: (_id) => ({ _id }), atOnce: true };
/** Ids that begin with the customer. */
const idsOf = (customerId: number) => ({ $gt: `${customerId}:`, $lt: `${customerId};` });
const byIdPrefix: OwnCollection = {
  filter: (customerId) => ({ customerId, _id: idsOf(customerId) }),
};

/**
 * Every collection: how the deletion of a customer finds its documents, or why it leaves them. In the order in which they
 * are removed: first what lets work begin, last the keys.
 */
export const TENANT_DATA: Readonly<Record<string, OwnCollection | KeptCollection>> = {
  recorderNotices: byCustomer,
  meetingSyncRuns: byCustomer,
  conversationImportLeases: byId,
  exportLeases: byId,
  retentionPolicies: byCustomer,
  webhookRecoveries: byCustomerAtOnce,
  eventFeeds: byCustomer,

  stagedConversations: byCustomer,
  conversations: byCustomer,
  conversationMessages: byCustomer,
  conversationRecords: byCustomer,
  conversationTimelines: byCustomer,
  previewEvents: byCustomer,
  // Events first: the repair of deliveries that a crash has left out then finds none to insert.
  webhookEvents: byCustomer,
  webhookDeliveries: byCustomer,
  idempotencyKeys: { filter: (customerId) => ({ _id: idsOf(customerId) }) },
  meetings: byCustomer,
  meetingTranscripts: byIdPrefix,
  meetingProviderRecords: byIdPrefix,
  meetingActivities: byCustomer,
  meetingPostings: byIdPrefix,
  meetingSearchStates: byId,
  meetingSyncLog: byCustomerAtOnce,
  recorderMappings: byId,
  eventLog: byCustomer,
  eventLogs: byId,
  webhookStatistics: byCustomerAtOnce,
  webhookSendQuotas: {
    filter: async (customerId, db) => ({
      _id: { $in: await db.collection('webhookEndpoints').distinct('id', { customerId }) },
    }),
    atOnce: true,
  },
  webhookEndpoints: byCustomer,
  webhookEndpointCounts: byId,
  suppressions: byCustomer,
  abortedErasures: byIdPrefix,

  // Until then, requests and the provider's webhooks are refused as those of a customer that is being deleted.
  recorderConnections: { ...byId, isFinal: true },
  apiKeys: { ...byCustomer, isFinal: true },
  meetingRecordKeys: { ...byId, isFinal: true },

  privacyKeys: { kept: 'Destroyed after all of these, in every process.' },
  tenants: { kept: 'Removed at the end of the deletion.' },
  erasures: { kept: 'Receipts, of the deletion and of erasures before it, which have counts only.' },
  auditEntries: { kept: 'The record of who did what, in chains that must stay complete.' },
  auditHeads: { kept: 'The heads of these chains, with their keys.' },
  auditIntents: { kept: 'Acts in progress, which become entries.' },
  rateWindows: { kept: 'Counters that expire within two minutes.' },
  quotaWindows: { kept: 'Counters by API key and customer that expire within a day.' },
  connectorPacing: { kept: "Times of requests by a hash of the provider's key; they expire." },
  driftAlertStates: { kept: 'Of the service.' },
  driftAlerts: { kept: 'Of the service.' },
  driftAlertRecords: { kept: 'Of the service.' },
  driftMutes: { kept: 'Of the service.' },
  driftPlannedChanges: { kept: 'Of the service.' },
  eventSequencer: { kept: 'Of the service.' },
  counters: { kept: 'Of the service.' },
  coherence: { kept: 'Of the service: topics of changes in progress.' },
  checkpoints: { kept: 'Of the service.' },
};

/** Documents that are removed at a time. */
const BATCH = 1_000;

/** Returns the steps that remove everything of a tenant, each of one collection. */
export function tenantRemovalSteps(connection: Connection): Pick<TenantRemoval, 'steps' | 'finalSteps'> {
  const db = () => connection.db as unknown as mongo.Db;
  const stepsWith = (final: boolean) =>
    Object.entries(TENANT_DATA).flatMap(([name, data]) =>
      'kept' in data || (data.isFinal ?? false) !== final ? [] : [removalStep(name, data, db)],
    );
  return { steps: stepsWith(false), finalSteps: stepsWith(true) };
}

function removalStep(
  name: string,
  { filter, atOnce = false }: OwnCollection,
  db: () => mongo.Db,
): ErasureStep {
  const filterOf = async (customerId: number): Promise<mongo.Document> => filter(customerId, db());
  const idOf = mongo.BSON.EJSON.stringify;
  return {
    name: `tenant:${name}`,
    collections: [name],
    idsOf: name,
    async find({ tenant: { customerId }, isDryRun }) {
      const own = await filterOf(customerId);
      const collection = db().collection(name);
      if (isDryRun || atOnce) {
        const count = await collection.countDocuments(own);
        return { ids: [], counts: { [name]: count }, next: null };
      }
      const found = await collection
        .find(own, { projection: { _id: 1 } })
        .limit(BATCH)
        .toArray();
      return {
        ids: found.map(({ _id }) => idOf({ _id })),
        counts: { [name]: found.length },
        // What is found is removed before the next window is read.
        next: found.length === BATCH ? 'rest' : null,
      };
    },
    async erase({ tenant: { customerId } }, ids) {
      const own = await filterOf(customerId);
      const found = ids.map((id) => mongo.BSON.EJSON.parse(id)._id as mongo.ObjectId);
      await db()
        .collection(name)
        .deleteMany(atOnce ? own : { $and: [own, { _id: { $in: found } }] });
    },
  };
}
