import { AppError } from '../errors/app-error.ts';
import type { Logger } from '../platform/logger.ts';
import { type Runtime, systemRuntime } from '../platform/runtime.ts';
import type { TenantRef } from '../platform/tenant-ref.ts';
import { MAX_COUNT } from '../shared/max-count.ts';
import { LIMITS } from './limits.ts';

/** Documents that a tenant stores. The same table is in contract 3. */
export const LIMITED_RESOURCES = {
  storedEvents: {
    label: 'stored events',
    remedy: 'wait until retention removes older ones, or ask the operator of the service for more',
  },
  conversations: {
    label: 'conversations',
    remedy: 'ask the operator of the service for more',
  },
  meetings: {
    label: 'meetings',
    remedy: 'ask the operator of the service for more',
  },
  customEvents: {
    label: 'custom events',
    remedy: 'ask the operator of the service for more',
  },
  endpoints: {
    label: 'webhook endpoints',
    remedy: 'delete one first',
  },
} as const satisfies Record<string, { label: string; remedy: string }>;

export type LimitedResource = keyof typeof LIMITED_RESOURCES;

export const LIMITED_RESOURCE_NAMES = Object.keys(LIMITED_RESOURCES) as LimitedResource[];

/** Maximum number of each resource that a setting bounds; null for no limit. */
export type TenantMaxima = Record<Exclude<LimitedResource, 'endpoints'>, number | null>;

export const NO_TENANT_LIMITS: TenantMaxima = {
  storedEvents: null,
  conversations: null,
  meetings: null,
  customEvents: null,
};

/** Shortest time between two counts of a tenant's documents. Milliseconds. */
const COUNT_INTERVAL_MS = 5_000;
/** Pause after a count as a multiple of its duration, so that counting takes at most a twentieth of the time. */
const COUNT_PAUSE_FACTOR = 20;

export class TenantLimitReached extends AppError {}

export interface ResourceUsage {
  used: number;
  /** Null if there is no limit. */
  limit: number | null;
}

/** The limit of a resource, for all tenants. */
export interface TenantLimit {
  /** Reserves up to `wanted` new documents; returns for how many the tenant has room. */
  claim(tenant: TenantRef, wanted: number): Promise<number>;
  /**
   * Returns a function that reserves the new documents of one unit of work. It counts them once, however often the unit
   * is planned, and throws `TenantLimitReached` unless the tenant has room for all.
   */
  reservation(tenant: TenantRef): (wanted: number) => Promise<void>;
  refusal(): TenantLimitReached;
  used(tenant: TenantRef): Promise<number>;
}

/** What this process knows of a tenant's documents of one type. */
interface Tally {
  /** The last count, and what this process has reserved since. */
  count: number;
  /** Null until the first count has ended. */
  nextCountAt: number | null;
  counting: Promise<void> | null;
}

interface LimitOptions {
  max: number;
  /** Counts the tenant's documents, at most `max + 1`. */
  count(tenant: TenantRef): PromiseLike<number>;
  refusal(): TenantLimitReached;
  log: Logger;
  runtime: Runtime;
}

/**
 * Creates a limit that costs no query per document: a process adds what it stores to its last count of the tenant's
 * documents. It counts before the first document and then at intervals in the background; a request waits for a count
 * only before it is refused. A tenant can exceed the limit by what other processes store between two counts, and by what
 * is being committed during a count.
 */
function createLimit({ max, count, refusal, log, runtime }: LimitOptions): TenantLimit {
  const tallies = new Map<number, Tally>();

  async function recount({ customerId }: TenantRef, tally: Tally): Promise<void> {
    const startedAt = runtime.monotonicMs();
    try {
      tally.count = await count({ customerId });
    } catch (error) {
      // Without a count no tenant is refused: whatever else the request needs of the database fails as well.
      log.warn({ err: error, customerId }, 'failed to count the documents of a customer for its limit');
    }
    const endedAt = runtime.monotonicMs();
    tally.nextCountAt = endedAt + Math.max(COUNT_INTERVAL_MS, COUNT_PAUSE_FACTOR * (endedAt - startedAt));
    tally.counting = null;
  }

  /** Returns the tally; waits for a due count if there is none yet, or if the last one leaves no room for `wanted`. */
  async function tallyOf({ customerId }: TenantRef, wanted: number): Promise<Tally> {
    const tally = tallies.get(customerId) ?? { count: 0, nextCountAt: null, counting: null };
    tallies.set(customerId, tally);
    if (tally.nextCountAt === null || runtime.monotonicMs() >= tally.nextCountAt) {
      tally.counting ??= recount({ customerId }, tally);
      if (tally.nextCountAt === null || tally.count + wanted > max) await tally.counting;
    }
    return tally;
  }

  return {
    async claim(tenant, wanted) {
      const tally = await tallyOf(tenant, wanted);
      const claimed = Math.max(0, Math.min(wanted, max - tally.count));
      tally.count += claimed;
      return claimed;
    },
    reservation(tenant) {
      let reserved = 0;
      return async (wanted) => {
        const added = wanted - reserved;
        if (added <= 0) return;
        const tally = await tallyOf(tenant, added);
        if (tally.count + added > max) throw refusal();
        tally.count += added;
        reserved = wanted;
      };
    },
    refusal,
    used: async (tenant) => (await tallyOf(tenant, max)).count,
  };
}

interface Deps {
  /** Count what a tenant stores, up to a limit. */
  counts: Record<LimitedResource, (tenant: TenantRef, limit: number) => PromiseLike<number>>;
  maxima: TenantMaxima;
  /** Called for each refusal. */
  onRefusal: (resource: LimitedResource) => void;
  log: Logger;
  runtime?: Runtime;
}

/** Limits of what each tenant stores. */
export function createTenantLimits({ counts, maxima, onRefusal, log, runtime = systemRuntime }: Deps) {
  const max: Record<LimitedResource, number | null> = { ...maxima, endpoints: LIMITS.endpoints.default };

  function refusal(resource: LimitedResource): TenantLimitReached {
    onRefusal(resource);
    const { label, remedy } = LIMITED_RESOURCES[resource];
    return new TenantLimitReached(
      'CONFLICT',
      `The customer has ${max[resource]} ${label}, which is the maximum; ${remedy}.`,
    );
  }

  function limitOf(resource: Exclude<LimitedResource, 'endpoints'>): TenantLimit | null {
    const maximum = max[resource];
    if (maximum === null) return null;
    return createLimit({
      max: maximum,
      count: (tenant) => counts[resource](tenant, maximum + 1),
      refusal: () => refusal(resource),
      log,
      runtime,
    });
  }

  /** Null where there is no limit. */
  const limits = {
    storedEvents: limitOf('storedEvents'),
    conversations: limitOf('conversations'),
    meetings: limitOf('meetings'),
    customEvents: limitOf('customEvents'),
  };

  return {
    ...limits,

    /** Returns the error for an endpoint beyond its limit, which a counter in the database enforces. */
    endpointRefusal: () => refusal('endpoints'),

    services: {
      usage: {
        /** Returns what the tenant stores: as the limit counts it, or up to `MAX_COUNT` if there is no limit. */
        async of(tenant: TenantRef, resource: LimitedResource): Promise<ResourceUsage> {
          const limit = resource === 'endpoints' ? null : limits[resource];
          const used = limit ? limit.used(tenant) : counts[resource](tenant, MAX_COUNT);
          return { used: await used, limit: max[resource] };
        },
      },
    },
  };
}

export type TenantLimits = ReturnType<typeof createTenantLimits>;
export type UsageService = TenantLimits['services']['usage'];
