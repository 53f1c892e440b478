import type { Model } from 'mongoose';
import { coalesced } from '../../platform/mongo/coalesced.ts';
import { rawCollection } from '../../platform/mongo/raw.ts';
import { change, insertion, removal, type Write } from '../../platform/mongo/write.ts';
import type { TenantDoc } from '../tenants/tenants.model.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { EndpointDoc } from './webhooks.model.ts';
import type { DisabledReason } from './webhooks.types.ts';

/** Endpoints that one tenant may have (contract 5). */
export const MAX_ENDPOINTS = 50;

/** What an update may change. */
export type EndpointChange = Partial<
  Pick<
    EndpointDoc,
    'url' | 'description' | 'events' | 'enabled' | 'disabledReason' | 'secret' | 'failures' | 'failingSince'
  >
>;

interface Models {
  Endpoint: Model<EndpointDoc>;
  Tenant: Model<TenantDoc>;
}

export function endpointStore({ Endpoint, Tenant }: Models) {
  const raw = rawCollection(Endpoint);

  // A rotation or a disabling holds at once, in every process: each attempt reads the endpoint as it then is.
  const byId = coalesced<number, EndpointDoc | null>(async (ids) => {
    const found = await raw.find({ id: { $in: [...new Set(ids)] } }).toArray();
    const index = new Map(found.map((endpoint) => [endpoint.id, endpoint]));
    return ids.map((id) => index.get(id) ?? null);
  });

  return {
    find: (tenant: Tenant, id: number) =>
      Endpoint.findOne({ customerId: tenant.customerId, id }).lean<EndpointDoc>(),

    list: (tenant: Tenant, before: number | null, limit: number) =>
      Endpoint.find({ customerId: tenant.customerId, ...(before === null ? {} : { id: { $lt: before } }) })
        .sort({ id: -1 })
        .limit(limit)
        .lean<EndpointDoc[]>(),

    /** Every endpoint of the tenants named, for the fan-out of their events. */
    ofTenants: (customerIds: number[]) => raw.find({ customerId: { $in: customerIds } }).toArray(),

    /** For the dispatcher, which works for all tenants: the endpoint as it is now. */
    current: (id: number) => byId(id),

    count: async (tenant: Tenant): Promise<number> =>
      (await Tenant.findOne({ customerId: tenant.customerId }, { endpointCount: 1 }).lean())?.endpointCount ??
      0,

    /** The writes that create an endpoint; the count in the tenant's document guards the limit. */
    insertion: (endpoint: EndpointDoc): Write[] => [
      change(
        Tenant,
        { customerId: endpoint.customerId, endpointCount: { $lt: MAX_ENDPOINTS } },
        { $inc: { endpointCount: 1 } },
      ),
      insertion(Endpoint, endpoint),
    ],

    removal: (tenant: Tenant, id: number): Write[] => [
      removal(Endpoint, { customerId: tenant.customerId, id }),
      change(Tenant, { customerId: tenant.customerId }, { $inc: { endpointCount: -1 } }),
    ],

    update: (tenant: Tenant, id: number, changed: EndpointChange, at: Date) =>
      Endpoint.findOneAndUpdate(
        { customerId: tenant.customerId, id },
        { $set: { ...changed, updatedAt: at } },
        { returnDocument: 'after' },
      ).lean<EndpointDoc>(),

    /** Switches an endpoint off that nobody has switched off yet; says whether it did. */
    disable: async (id: number, reason: DisabledReason, at: Date): Promise<boolean> => {
      const { modifiedCount } = await Endpoint.updateOne(
        { id, enabled: true },
        { $set: { enabled: false, disabledReason: reason, updatedAt: at } },
      );
      return modifiedCount === 1;
    },

    /** Adds to the failures since the last success, and gives the endpoint as it then is. */
    addFailures: (id: number, failures: number, at: Date) =>
      Endpoint.findOneAndUpdate(
        { id },
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

    clearFailures: (id: number) =>
      Endpoint.updateOne({ id, failures: { $gt: 0 } }, { $set: { failures: 0, failingSince: null } }),

    /** Replaces a sealed secret by the same one sealed anew; nothing happens when it was rotated meanwhile. */
    reseal: async (id: number, from: string, to: string): Promise<boolean> => {
      const { modifiedCount } = await Endpoint.updateOne({ id, secret: from }, { $set: { secret: to } });
      return modifiedCount === 1;
    },

    /** Every endpoint there is, in batches, for operators' commands that concern all tenants. */
    all: () => Endpoint.find().sort({ id: 1 }).lean<EndpointDoc>().cursor(),
  };
}

export type EndpointStore = ReturnType<typeof endpointStore>;
