import type { Model, Types } from 'mongoose';
import { insertion, removal, type Write } from '../../platform/mongo/unit-write.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { IdempotencyDoc, PreviewEventDoc } from './events.model.ts';

interface Models {
  PreviewEvent: Model<PreviewEventDoc>;
  Idempotency: Model<IdempotencyDoc>;
}

export function eventStore({ PreviewEvent, Idempotency }: Models) {
  return {
    insertion: (event: PreviewEventDoc): Write => insertion(PreviewEvent, event),
    find: (tenant: Tenant, id: Types.ObjectId) =>
      PreviewEvent.findOne({ _id: id, customerId: tenant.customerId }).lean<PreviewEventDoc>(),

    /** @param id tenant, route and key */
    findIdempotency: (id: string) => Idempotency.findOne({ _id: id }).lean<IdempotencyDoc>(),
    idempotencyInsertion: (record: IdempotencyDoc): Write => insertion(Idempotency, record),
    /** Removes an expired record that the TTL index has not removed yet. */
    idempotencyRemoval: ({ _id, expiresAt }: IdempotencyDoc): Write =>
      removal(Idempotency, { _id, expiresAt }),
  };
}

export type EventStore = ReturnType<typeof eventStore>;
