import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import type { Coherence } from '../../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../../platform/coherence/coherent-cache.ts';
import { change, insertion, removal, type Write } from '../../../platform/commit/unit-of-work.ts';
import { coalesced } from '../../../platform/mongo/coalesced.ts';
import { rawReads } from '../../../platform/mongo/raw-collection.ts';
import { type Runtime, systemRuntime } from '../../../platform/runtime.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { isSelectedBy } from '../../../shared/custom-events.ts';
import type { EventName } from '../../outbox/event-catalog.ts';
import type { EventTypeName } from '../../outbox/event-type.ts';
import type { Suspensions } from '../../tenants/suspensions.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import {
  BY_EVENT,
  CERTIFICATE_EXPIRY,
  type EndpointCountDoc,
  type EndpointDoc,
  NO_FAILURES,
  PUBLIC_KEYS,
  type StoredSigningKey,
} from './endpoint.model.ts';
import { MAX_ENDPOINTS, type Steering } from './endpoint.types.ts';
import { endpointFailures } from './endpoint-failures.store.ts';
import { ENCRYPTED_PATHS, type EncryptedValue } from './endpoint-secrets.ts';
import { disabledEvent, queuedEvents } from './queued-events.store.ts';

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

/**
 * Creates the store of endpoints. Their reads, settings and keys are here; what the outcomes of attempts change is in
 * `endpoint-failures.store.ts`, and the events that wait in their documents are in `queued-events.store.ts`.
 */
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
    ...endpointFailures({ Endpoint, change: byTenant.change }),
    ...queuedEvents(Endpoint),

    find: ({ customerId }: TenantRef, id: number) => Endpoint.findOne({ customerId, id }).lean<EndpointDoc>(),

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
    count: async ({ customerId }: TenantRef): Promise<number> =>
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
