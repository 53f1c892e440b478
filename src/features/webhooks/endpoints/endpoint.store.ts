import { LRUCache } from 'lru-cache';
import type { Model, Types } from 'mongoose';
import type { Coherence } from '../../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../../platform/coherence/coherent-cache.ts';
import { change, insertion, removal, type Write } from '../../../platform/commit/unit-of-work.ts';
import { coalesced } from '../../../platform/mongo/coalesced.ts';
import { newObjectId } from '../../../platform/mongo/object-id.ts';
import { rawReads } from '../../../platform/mongo/raw-collection.ts';
import { type Runtime, systemRuntime } from '../../../platform/runtime.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { EndpointEventName, EventName } from '../../outbox/event-catalog.ts';
import { type EventTypeName, isSelectedBy } from '../../outbox/event-type.ts';
import type { Suspensions } from '../../tenants/suspensions.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { TRIPPING_DELIVERIES, TRIPPING_FAILURES } from './circuit.ts';
import {
  BY_CIRCUIT,
  BY_EVENT,
  BY_UNPUBLISHED,
  CERTIFICATE_EXPIRY,
  type EndpointCountDoc,
  type EndpointDoc,
  type ExhaustedDeliveries,
  NO_FAILURES,
  PUBLIC_KEYS,
  type StoredCircuit,
  type StoredSigningKey,
  type UnpublishedEvent,
} from './endpoint.model.ts';
import { type DisabledReason, MAX_ENDPOINTS, type Steering } from './endpoint.types.ts';
import { ENCRYPTED_PATHS, type EncryptedValue } from './endpoint-secrets.ts';

/** Fields that an update may change. */
export type EndpointChange = Partial<
  Pick<
    EndpointDoc,
    | 'url'
    | 'description'
    | 'events'
    | 'filter'
    | 'payload'
    | 'enabled'
    | 'disabledReason'
    | keyof typeof NO_FAILURES
    | 'privateKey'
    | 'publicKey'
    | 'headers'
    | keyof Steering
    | 'authentication'
  >
>;

interface ListOptions {
  /** Id of the endpoint after which the page begins, newest first; null for the first page. */
  before: number | null;
  limit: number;
}

interface Rotation {
  key: StoredSigningKey;
  /** Time until which the key before the rotation signs as well; null if it signs no further attempt. */
  overlapUntil: Date | null;
  at: Date;
}

interface UpdateOptions {
  changed: EndpointChange;
  at: Date;
  /** True if the change replaces the target: results of earlier attempts no longer count. */
  replacesTarget?: boolean;
}

/** Filter: an endpoint has not changed since it was read. After a failover, a revision can be of another state. */
const unchanged = ({ customerId, id, enabled, revision = 0 }: EndpointDoc) => ({
  customerId,
  id,
  enabled,
  // An endpoint without the field has revision 0.
  revision: revision === 0 ? { $in: [0, null] } : revision,
});

/** Filter: an endpoint still has one of the targets that attempts have used. Null matches a missing token. */
const sameTarget = (...used: readonly EndpointDoc[]) => ({
  targetToken: { $in: used.map(({ targetToken = null }) => targetToken) },
});

/** Filters for endpoints that have the same target as attempts. A token belongs to one endpoint, so that one filter is exact for all that have one. */
const alike = (endpoints: readonly EndpointDoc[]) =>
  [...Map.groupBy(endpoints, ({ targetToken }) => targetToken !== undefined).values()].map((used) => ({
    id: { $in: used.map(({ id }) => id) },
    ...sameTarget(...used),
  }));

/** Maximum number of queued events about an endpoint; beyond it the oldest is dropped. A job publishes them every few seconds. */
const MAX_UNPUBLISHED = 100;

/** Part of an update: queues an event about the endpoint, which a job publishes. */
const queued = (event: EndpointEventName, at: Date, data: UnpublishedEvent['data']) => ({
  $push: {
    unpublished: { $each: [{ _id: newObjectId(at), event, at, data }], $slice: -MAX_UNPUBLISHED },
  },
});

const disabledEvent = (reason: DisabledReason, at: Date) =>
  queued('endpoint.disabled', at, { reason, disabledAt: at.toISOString() });

/** A delivery, or another document of an endpoint. */
interface EndpointOwner {
  customerId: number;
  endpointId: number;
}

interface Models {
  Endpoint: Model<EndpointDoc>;
  EndpointCount: Model<EndpointCountDoc>;
}

interface StoreOptions {
  suspensions: Pick<Suspensions, 'all' | 'isSuspended'>;
  runtime?: Runtime;
}

const asSuspended = (endpoint: EndpointDoc): EndpointDoc => ({ ...endpoint, suspended: true });

/** Number of endpoints that are cached, plus one for each of their tenants. */
const CACHED_ENDPOINTS = 10_000;
/** Tenants per query; each has up to 50 endpoints. */
const TENANTS_PER_QUERY = 200;

export function endpointStore(
  { Endpoint, EndpointCount }: Models,
  coherence: Coherence,
  { suspensions, runtime = systemRuntime }: StoreOptions,
) {
  const raw = rawReads(Endpoint);

  /** All endpoints of each tenant. */
  const byTenant = coherentCache<number, EndpointDoc[]>({
    coherence,
    runtime,
    entries: new LRUCache<number, CacheEntry<EndpointDoc[]>>({
      maxSize: CACHED_ENDPOINTS,
      sizeCalculation: ({ value }) => value.length + 1,
    }),
    prefix: 'endpoints',
    toKey: Number,
    load: coalesced(
      async (customerIds) => {
        const found = await raw.find({ customerId: { $in: [...new Set(customerIds)] } }).toArray();
        const index = Map.groupBy(found, ({ customerId }) => customerId);
        return customerIds.map((customerId) => index.get(customerId) ?? []);
      },
      { maxKeys: TENANTS_PER_QUERY, runtime },
    ),
  });

  /** Returns the endpoints of a tenant, marked while it is suspended. */
  async function ofTenant(customerId: number): Promise<EndpointDoc[]> {
    const [endpoints, isSuspended] = await Promise.all([
      byTenant.get(customerId),
      suspensions.isSuspended(customerId),
    ]);
    if (!endpoints) return [];
    return isSuspended ? endpoints.map(asSuspended) : endpoints;
  }

  const counterOf = (customerId: number) => EndpointCount.findById(customerId).lean<EndpointCountDoc>();

  return {
    find: (tenant: Tenant, id: number) =>
      Endpoint.findOne({ customerId: tenant.customerId, id }).lean<EndpointDoc>(),

    findMany: ({ customerId }: TenantRef, ids: readonly number[]) =>
      Endpoint.find({ customerId, id: { $in: ids } }).lean<EndpointDoc[]>(),

    list: (tenant: Tenant, { before, limit }: ListOptions) =>
      Endpoint.find({ customerId: tenant.customerId, ...(before === null ? {} : { id: { $lt: before } }) })
        .sort({ id: -1 })
        .limit(limit)
        .lean<EndpointDoc[]>(),

    /** Every endpoint of these tenants, for the fan-out of their events. */
    ofTenants: async (customerIds: readonly number[]): Promise<EndpointDoc[]> =>
      (await Promise.all(customerIds.map(ofTenant))).flat(),

    /**
     * Returns the next customers by id with an endpoint that lists the event type; empty after the last one. The limit
     * counts endpoints, so that a page costs the same however many customers follow.
     */
    customersSubscribedTo: async (
      event: EventName,
      { after, endpointLimit }: { after: number; endpointLimit: number },
    ): Promise<number[]> => {
      const found = await raw
        .find({ events: event, customerId: { $gt: after } })
        .project<Pick<EndpointDoc, 'customerId'>>({ customerId: 1 })
        .sort({ customerId: 1 })
        .hint(BY_EVENT)
        .limit(endpointLimit)
        .toArray();
      return [...new Set(found.map(({ customerId }) => customerId))];
    },

    /** Endpoints of all tenants whose settings or circuit can hold deliveries back, for metrics. */
    async steered(ids: readonly number[]): Promise<EndpointDoc[]> {
      const suspended = await suspensions.all();
      const found = await raw
        .find({
          id: { $in: [...ids] },
          $or: [
            { paused: true },
            { rateLimit: { $type: 'object' } },
            { circuit: { $type: 'object' } },
            ...(suspended.length > 0 ? [{ customerId: { $in: suspended } }] : []),
          ],
        })
        .toArray();
      return found.map((endpoint) =>
        suspended.includes(endpoint.customerId) ? asSuspended(endpoint) : endpoint,
      );
    },

    /** Returns the endpoints of any tenant with these ids, as stored. */
    withIds: (ids: readonly number[]): Promise<EndpointDoc[]> =>
      raw.find({ id: { $in: [...ids] } }).toArray(),

    /** Returns whether the endpoint exists and is enabled, as stored. */
    isEnabled: async ({ customerId, endpointId }: EndpointOwner): Promise<boolean> =>
      (await Endpoint.exists({ customerId, id: endpointId, enabled: true })) !== null,

    /** Returns an endpoint as of the call, without a query if its tenant's are cached; null if it does not exist. */
    current: async ({ customerId, endpointId }: EndpointOwner): Promise<EndpointDoc | null> =>
      (await ofTenant(customerId)).find(({ id }) => id === endpointId) ?? null,

    /**
     * Makes a change of a tenant's endpoints with the writes of this store: once this resolves, it applies to
     * `ofTenants` and `current` in every process.
     */
    change: <T>({ customerId }: TenantRef, make: () => Promise<T>): Promise<T> =>
      byTenant.change(customerId, make),

    /** Number of endpoints of the tenant. */
    count: async ({ customerId }: Tenant): Promise<number> =>
      (await counterOf(customerId))?.count ?? Endpoint.countDocuments({ customerId }),

    /** Creates the counter that guards the limit, unless it exists. */
    async ensureCounter({ customerId }: Tenant): Promise<void> {
      if (await counterOf(customerId)) return;
      const count = await Endpoint.countDocuments({ customerId });
      await EndpointCount.updateOne({ _id: customerId }, { $setOnInsert: { count } }, { upsert: true });
    },

    /** Writes that create an endpoint, within the limit also under concurrent creates. Needs `ensureCounter` first. */
    insertion: (endpoint: EndpointDoc): Write[] => [
      change(
        EndpointCount,
        { _id: endpoint.customerId, count: { $lt: MAX_ENDPOINTS } },
        { $inc: { count: 1 } },
      ),
      insertion(Endpoint, endpoint),
    ],

    /** Writes that delete an endpoint. Needs `ensureCounter` first. */
    removal: ({ customerId }: Tenant, id: number): Write[] => [
      removal(Endpoint, { customerId, id }),
      change(EndpointCount, { _id: customerId }, { $inc: { count: -1 } }),
    ],

    /** Changes an endpoint that is as it was read, so that the change was checked against what it meets; else null. */
    update: (current: EndpointDoc, { changed, at, replacesTarget = false }: UpdateOptions) =>
      byTenant.change(current.customerId, () =>
        Endpoint.findOneAndUpdate(
          unchanged(current),
          {
            $set: { ...changed, updatedAt: at, ...(replacesTarget && { targetToken: runtime.newToken() }) },
            $inc: { revision: 1 },
            ...(current.enabled && changed.enabled === false && disabledEvent('manual', at)),
          },
          { returnDocument: 'after' },
        ).lean<EndpointDoc>(),
      ),

    /** Returns true once no failover can undo the endpoint as it was read; false if it has changed. */
    confirm: (current: EndpointDoc): Promise<boolean> =>
      byTenant.change(current.customerId, async () => {
        // A write without an effect waits for a majority as well.
        const { enabled } = current;
        const { matchedCount } = await Endpoint.updateOne(unchanged(current), { $set: { enabled } });
        return matchedCount > 0;
      }),

    /** Write that replaces the signing key of an endpoint, unless it has changed since it was read. */
    rotation: (current: EndpointDoc, { key, overlapUntil, at }: Rotation): Write => {
      const { customerId, id, secret, privateKey, publicKey = null } = current;
      const replaced = { secret, ...(privateKey && publicKey && { privateKey, publicKey }) };
      return change(
        Endpoint,
        { customerId, id, secret, publicKey },
        {
          $set: {
            ...key,
            ...(overlapUntil && { previous: { ...replaced, until: overlapUntil } }),
            updatedAt: at,
            ...NO_FAILURES,
            targetToken: runtime.newToken(),
          },
          ...(!overlapUntil && current.previous && { $unset: { previous: 1 } }),
          $inc: { revision: 1 },
        },
      );
    },

    /** Disables an endpoint that is enabled and has the same target; returns false for any other. */
    async disable(endpoint: EndpointDoc, reason: DisabledReason, at: Date): Promise<boolean> {
      const { customerId, id } = endpoint;
      const { modifiedCount } = await byTenant.change(customerId, () =>
        Endpoint.updateOne(
          { customerId, id, enabled: true, ...sameTarget(endpoint) },
          {
            $set: { enabled: false, disabledReason: reason, circuit: null, updatedAt: at },
            $inc: { revision: 1 },
            ...disabledEvent(reason, at),
          },
        ),
      );
      return modifiedCount === 1;
    },

    /**
     * Adds to the failures since the last success and returns the updated endpoint; null if its target was replaced.
     *
     * @param failures.deliveries some of the deliveries that have failed, up to `TRIPPING_DELIVERIES`
     */
    addFailures: (
      endpoint: EndpointDoc,
      failures: { count: number; deliveries: readonly Types.ObjectId[] },
      at: Date,
    ) =>
      Endpoint.findOneAndUpdate(
        { id: endpoint.id, ...sameTarget(endpoint) },
        [
          {
            $set: {
              failures: { $add: ['$failures', failures.count] },
              failedDeliveries: {
                $slice: [
                  { $setUnion: [{ $ifNull: ['$failedDeliveries', []] }, [...failures.deliveries]] },
                  TRIPPING_DELIVERIES,
                ],
              },
              failingSince: { $ifNull: ['$failingSince', at] },
            },
          },
        ],
        { returnDocument: 'after', updatePipeline: true },
      ).lean<EndpointDoc>(),

    /** Opens the circuit of an endpoint that still fails; returns false if it is open, or an attempt has succeeded. */
    async openCircuit(endpoint: EndpointDoc, circuit: StoredCircuit): Promise<boolean> {
      const { customerId, id } = endpoint;
      const { modifiedCount } = await byTenant.change(customerId, () =>
        Endpoint.updateOne(
          {
            customerId,
            id,
            enabled: true,
            circuit: null,
            failures: { $gte: TRIPPING_FAILURES },
            ...sameTarget(endpoint),
          },
          { $set: { circuit } },
        ),
      );
      return modifiedCount === 1;
    },

    /** Begins a probe if none is in flight and the next one is due; no other begins until a time. */
    async beginProbe(endpoint: EndpointDoc, { at, until }: { at: Date; until: Date }): Promise<boolean> {
      const { customerId, id } = endpoint;
      const { modifiedCount } = await byTenant.change(customerId, () =>
        Endpoint.updateOne(
          { customerId, id, enabled: true, 'circuit.probeAt': { $lte: at }, ...sameTarget(endpoint) },
          { $set: { 'circuit.state': 'half_open', 'circuit.probeAt': until } },
        ),
      );
      return modifiedCount === 1;
    },

    /** Ends a failed probe, unless the circuit was closed meanwhile. @param nextAt time of the next one */
    endProbe: async (endpoint: EndpointDoc, { reason, nextAt }: { reason: string; nextAt: Date }) => {
      const { customerId, id } = endpoint;
      await byTenant.change(customerId, () =>
        Endpoint.updateOne(
          { customerId, id, 'circuit.state': 'half_open', ...sameTarget(endpoint) },
          {
            $set: { 'circuit.state': 'open', 'circuit.reason': reason, 'circuit.probeAt': nextAt },
            $inc: { 'circuit.failedProbes': 1 },
          },
        ),
      );
    },

    /** Closes the circuit of an endpoint after a success; returns false if it is closed, or its target was replaced. */
    async closeCircuit(endpoint: EndpointDoc): Promise<boolean> {
      const { customerId, id } = endpoint;
      const { modifiedCount } = await byTenant.change(customerId, () =>
        Endpoint.updateOne(
          { customerId, id, circuit: { $ne: null }, ...sameTarget(endpoint) },
          { $set: { circuit: null } },
        ),
      );
      return modifiedCount === 1;
    },

    /** Number of endpoints of all tenants whose circuit is not closed. */
    countOpenCircuits: (): Promise<number> =>
      Endpoint.countDocuments({ 'circuit.state': { $in: ['open', 'half_open'] } }, { hint: BY_CIRCUIT }),

    /** Reports an endpoint with failures once, until an attempt has succeeded. */
    reportFailing: async (endpoint: EndpointDoc, at: Date): Promise<void> => {
      const { customerId, id, failures, failingSince } = endpoint;
      const since = (failingSince ?? at).toISOString();
      await Endpoint.updateOne(
        { customerId, id, failures: { $gt: 0 }, failingReported: { $ne: true }, ...sameTarget(endpoint) },
        { $set: { failingReported: true }, ...queued('endpoint.failing', at, { failures, since }) },
      );
    },

    /** Adds to the exhausted deliveries of an endpoint. @param reportedAt time at which they are reported; null if they are not */
    addExhausted: async (
      { customerId, id }: Pick<EndpointDoc, 'customerId' | 'id'>,
      { count, createdSince, finishedSince }: ExhaustedDeliveries,
      reportedAt: Date | null,
    ): Promise<void> => {
      const $inc = { 'exhausted.count': count };
      const $min = { 'exhausted.createdSince': createdSince, 'exhausted.finishedSince': finishedSince };
      // One queued count, to which all processes add: in a minute, entries of each flush would exceed the limit.
      const { matchedCount } = reportedAt
        ? await Endpoint.updateOne(
            { customerId, id, 'unpublished.event': 'delivery.exhausted' },
            { $inc: { ...$inc, 'unpublished.$.data.count': count }, $min },
          )
        : { matchedCount: 0 };
      if (matchedCount > 0) return;
      await Endpoint.updateOne(
        { customerId, id },
        {
          $inc,
          $min,
          ...(reportedAt &&
            queued('delivery.exhausted', reportedAt, { count, since: reportedAt.toISOString() })),
        },
      );
    },

    /**
     * Notes for endpoints with `autoRecover` that deliveries may have been exhausted since their first failure: a process that
     * has died since may not have noted them.
     *
     * @param deliveryMs longest usual time from the acceptance of a delivery to the end of its attempts
     */
    async noteOutages(endpoints: readonly EndpointDoc[], deliveryMs: number): Promise<void> {
      for (const same of alike(endpoints))
        await Endpoint.updateMany(
          { ...same, autoRecover: true, failingSince: { $ne: null } },
          [
            {
              $set: {
                exhausted: {
                  count: { $add: [{ $ifNull: ['$exhausted.count', 0] }, 1] },
                  createdSince: {
                    $min: ['$exhausted.createdSince', { $subtract: ['$failingSince', deliveryMs] }],
                  },
                  finishedSince: { $min: ['$exhausted.finishedSince', '$failingSince'] },
                },
              },
            },
          ],
          { updatePipeline: true },
        );
    },

    /** Forgets the exhausted deliveries of an endpoint; returns false if further ones were added since it was read. */
    async clearExhausted({ customerId, id, exhausted }: EndpointDoc): Promise<boolean> {
      const { modifiedCount } = await Endpoint.updateOne(
        {
          customerId,
          id,
          'exhausted.count': exhausted?.count,
          'exhausted.finishedSince': exhausted?.finishedSince,
        },
        { $unset: { exhausted: 1 } },
      );
      return modifiedCount === 1;
    },

    /**
     * Returns whether an endpoint of the tenant names the event type; without a query if they are cached.
     *
     * @param aboutId endpoint that does not count, because the event is about it
     */
    subscribes: async (
      { customerId }: TenantRef,
      event: EventTypeName,
      aboutId: number | null = null,
    ): Promise<boolean> =>
      ((await byTenant.get(customerId)) ?? []).some(
        ({ id, events }) => id !== aboutId && events != null && isSelectedBy(event, events),
      ),

    /**
     * Returns endpoints of any tenant with events to be published, those that have waited longest first; without those that
     * have counts of exhausted deliveries alone, and published one after `countedBefore`.
     */
    withUnpublished: (limit: number, countedBefore: Date) =>
      raw
        .find({
          'unpublished.at': { $gt: new Date(0) },
          $or: [
            { unpublished: { $elemMatch: { event: { $ne: 'delivery.exhausted' } } } },
            { exhaustedPublishedAt: { $not: { $gt: countedBefore } } },
          ],
        })
        .project<Pick<EndpointDoc, 'customerId' | 'id'>>({ customerId: 1, id: 1 })
        .sort(BY_UNPUBLISHED)
        .hint(BY_UNPUBLISHED)
        .limit(limit)
        .toArray(),

    /**
     * Write that removes queued events, which are published with it. Matches nothing if another process has published them,
     * or added to a count.
     */
    publication: ({ customerId, id }: EndpointDoc, events: readonly UnpublishedEvent[], at: Date): Write => {
      const ids = events.map(({ _id }) => _id);
      const asRead = events.map(({ _id, event, data: { count } }) => ({
        $elemMatch: { _id, ...(event === 'delivery.exhausted' && { 'data.count': count }) },
      }));
      const hasCount = events.some(({ event }) => event === 'delivery.exhausted');
      return change(
        Endpoint,
        { customerId, id, unpublished: { $all: asRead } },
        {
          $pull: { unpublished: { _id: { $in: ids } } },
          ...(hasCount && { $set: { exhaustedPublishedAt: at } }),
        },
      );
    },

    /**
     * Resets the failures in a row of endpoints after a success, unless their target was replaced. An endpoint that was
     * reported as failing is reported as recovered. Exhausted deliveries of an endpoint without `autoRecover` stay as they
     * are; a recovery sends the others again.
     */
    async endFailures(endpoints: readonly EndpointDoc[], at: Date): Promise<void> {
      const operations = alike(endpoints).flatMap((same) => [
        {
          updateMany: {
            filter: { ...same, failures: { $gt: 0 } },
            update: { $set: { failures: 0, failingSince: null, failedDeliveries: [] } },
          },
        },
        {
          updateMany: {
            filter: { ...same, exhausted: { $exists: true }, autoRecover: { $ne: true } },
            update: { $unset: { exhausted: '' } },
          },
        },
        {
          updateMany: {
            filter: { ...same, failingReported: true },
            update: {
              $unset: { failingReported: '' },
              ...queued('endpoint.recovered', at, { recoveredAt: at.toISOString() }),
            },
          },
        },
      ]);
      await Endpoint.bulkWrite(operations, { ordered: false });
    },

    /** Replaces an encrypted value, unless it was changed meanwhile; returns false in that case. */
    replaceEncrypted: async (
      { endpoint: { customerId, id }, path, ciphertext }: EncryptedValue,
      to: string,
    ): Promise<boolean> => {
      const { modifiedCount } = await Endpoint.updateOne(
        { customerId, id, [path]: ciphertext },
        { $set: { [path]: to } },
      );
      return modifiedCount === 1;
    },

    /** Returns true if any endpoint has an encrypted value that does not match the pattern. */
    hasSecretUnderUnknownKey: async (pattern: RegExp): Promise<boolean> =>
      (await Endpoint.exists({
        $or: ENCRYPTED_PATHS.map((path) => ({ [path]: { $type: 'string', $not: pattern } })),
      })) !== null,

    /** Returns up to `limit` endpoints with a public key, of all tenants. */
    withPublicKeys: (limit: number): Promise<Pick<EndpointDoc, 'publicKey' | 'previous'>[]> =>
      Endpoint.find({ $or: PUBLIC_KEYS.map((path) => ({ [path]: { $type: 'string' } })) })
        .select({ _id: 0, publicKey: 1, 'previous.publicKey': 1, 'previous.until': 1 })
        .sort({ id: -1 })
        .limit(limit)
        .lean<Pick<EndpointDoc, 'publicKey' | 'previous'>[]>(),

    /** Returns enabled endpoints of all tenants whose client certificate expires in a time range, in the order of the times. */
    withCertificatesExpiring: (
      range: { $gte?: Date; $lt: Date },
      { sort, limit }: { sort: 1 | -1; limit: number },
    ) =>
      Endpoint.find({ [CERTIFICATE_EXPIRY]: range, enabled: true })
        .select({ _id: 0, id: 1, customerId: 1, [CERTIFICATE_EXPIRY]: 1 })
        .sort({ [CERTIFICATE_EXPIRY]: sort })
        .limit(limit)
        .lean<Pick<EndpointDoc, 'id' | 'customerId' | 'authentication'>[]>(),

    /** Every endpoint of every tenant, in batches, for operator commands. */
    all: () => Endpoint.find().sort({ id: 1 }).lean<EndpointDoc>().cursor(),
  };
}

export type EndpointStore = ReturnType<typeof endpointStore>;
