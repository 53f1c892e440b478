import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import type { Coherence } from '../../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../../platform/coherence/coherent-cache.ts';
import { change, insertion, removal, type Write } from '../../../platform/commit/unit-of-work.ts';
import { coalesced } from '../../../platform/mongo/coalesced.ts';
import { rawReads } from '../../../platform/mongo/raw-collection.ts';
import { type Runtime, systemRuntime } from '../../../platform/runtime.ts';
import type { EventName } from '../../outbox/event-catalog.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import {
  BY_EVENT,
  type EndpointCountDoc,
  type EndpointDoc,
  PUBLIC_KEYS,
  type StoredSigningKey,
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
    | 'failures'
    | 'failingSince'
    | 'privateKey'
    | 'publicKey'
    | 'headers'
    | keyof Steering
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
  /** Revisions to which the change applies; null for any. */
  revisions?: readonly number[] | null;
  /** True if results of earlier attempts say nothing about the changed endpoint. */
  replacesTarget?: boolean;
}

/** Returns the stored values of revisions: an endpoint without the field has revision 0. */
const stored = (revisions: readonly number[]): (number | null)[] =>
  revisions.includes(0) ? [...revisions, null] : [...revisions];

/** Filter: an endpoint still has one of the targets that attempts have used. Null matches a missing token. */
const sameTarget = (...used: readonly EndpointDoc[]) => ({
  targetToken: { $in: used.map(({ targetToken = null }) => targetToken) },
});

/** A delivery, or another document of an endpoint. */
interface EndpointOwner {
  customerId: number;
  endpointId: number;
}

interface Models {
  Endpoint: Model<EndpointDoc>;
  EndpointCount: Model<EndpointCountDoc>;
}

/** Number of endpoints that are cached, plus one for each of their tenants. */
const CACHED_ENDPOINTS = 10_000;
/** Tenants per query; each has up to 50 endpoints. */
const TENANTS_PER_QUERY = 200;

export function endpointStore(
  { Endpoint, EndpointCount }: Models,
  coherence: Coherence,
  runtime: Runtime = systemRuntime,
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

  const counterOf = (customerId: number) => EndpointCount.findById(customerId).lean<EndpointCountDoc>();

  return {
    find: (tenant: Tenant, id: number) =>
      Endpoint.findOne({ customerId: tenant.customerId, id }).lean<EndpointDoc>(),

    findMany: (tenant: Tenant, ids: readonly number[]) =>
      Endpoint.find({ customerId: tenant.customerId, id: { $in: ids } }).lean<EndpointDoc[]>(),

    list: (tenant: Tenant, { before, limit }: ListOptions) =>
      Endpoint.find({ customerId: tenant.customerId, ...(before === null ? {} : { id: { $lt: before } }) })
        .sort({ id: -1 })
        .limit(limit)
        .lean<EndpointDoc[]>(),

    /** Every endpoint of these tenants, for the fan-out of their events. */
    ofTenants: async (customerIds: readonly number[]): Promise<EndpointDoc[]> =>
      (await Promise.all(customerIds.map(byTenant.get))).flatMap((endpoints) => endpoints ?? []),

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

    /** Endpoints of all tenants whose settings can hold deliveries back, for metrics. */
    steered: (ids: readonly number[]): Promise<EndpointDoc[]> =>
      raw
        .find({ id: { $in: [...ids] }, $or: [{ paused: true }, { rateLimit: { $type: 'object' } }] })
        .toArray(),

    /** Returns whether the endpoint exists and is enabled, as stored. */
    isEnabled: async ({ customerId, endpointId }: EndpointOwner): Promise<boolean> =>
      (await Endpoint.exists({ customerId, id: endpointId, enabled: true })) !== null,

    /** Returns an endpoint as of the call, without a query if its tenant's are cached; null if it does not exist. */
    current: async ({ customerId, endpointId }: EndpointOwner): Promise<EndpointDoc | null> =>
      (await byTenant.get(customerId))?.find(({ id }) => id === endpointId) ?? null,

    /**
     * Makes a change of a tenant's endpoints with the writes of this store: once this resolves, it applies to
     * `ofTenants` and `current` in every process.
     */
    change: <T>({ customerId }: Pick<EndpointDoc, 'customerId'>, make: () => Promise<T>): Promise<T> =>
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

    /** Changes an endpoint of the given revisions; null if there is none. */
    update: (
      tenant: Tenant,
      id: number,
      { changed, at, revisions = null, replacesTarget = false }: UpdateOptions,
    ) =>
      byTenant.change(tenant.customerId, () =>
        Endpoint.findOneAndUpdate(
          { customerId: tenant.customerId, id, ...(revisions && { revision: { $in: stored(revisions) } }) },
          {
            $set: { ...changed, updatedAt: at, ...(replacesTarget && { targetToken: runtime.newToken() }) },
            $inc: { revision: 1 },
          },
          { returnDocument: 'after' },
        ).lean<EndpointDoc>(),
      ),

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
            failures: 0,
            failingSince: null,
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
          { $set: { enabled: false, disabledReason: reason, updatedAt: at }, $inc: { revision: 1 } },
        ),
      );
      return modifiedCount === 1;
    },

    /** Adds to the failures since the last success and returns the updated endpoint; null if its target was replaced. */
    addFailures: (endpoint: EndpointDoc, failures: number, at: Date) =>
      Endpoint.findOneAndUpdate(
        { id: endpoint.id, ...sameTarget(endpoint) },
        [
          {
            $set: {
              failures: { $add: ['$failures', failures] },
              failingSince: { $ifNull: ['$failingSince', at] },
            },
          },
        ],
        { returnDocument: 'after', updatePipeline: true },
      ).lean<EndpointDoc>(),

    /** Resets the failures of endpoints whose target is the same. */
    clearFailures: async (endpoints: readonly EndpointDoc[]): Promise<void> => {
      // A token belongs to one endpoint, so that one update is exact for all endpoints that have one.
      const alike = Map.groupBy(endpoints, ({ targetToken }) => targetToken !== undefined);
      await Endpoint.bulkWrite(
        Array.from(alike.values(), (used) => ({
          updateMany: {
            filter: { id: { $in: used.map(({ id }) => id) }, failures: { $gt: 0 }, ...sameTarget(...used) },
            update: { $set: { failures: 0, failingSince: null } },
          },
        })),
        { ordered: false },
      );
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

    /** Every endpoint of every tenant, in batches, for operator commands. */
    all: () => Endpoint.find().sort({ id: 1 }).lean<EndpointDoc>().cursor(),
  };
}

export type EndpointStore = ReturnType<typeof endpointStore>;
