import type { Model, Types } from 'mongoose';
import { insertion, removal, type Write } from '../../platform/mongo/write.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { IdempotencyDoc, PreviewEventDoc } from './events.model.ts';

interface Models {
  PreviewEvent: Model<PreviewEventDoc>;
  Idempotency: Model<IdempotencyDoc>;
}

export function eventStore({ PreviewEvent, Idempotency }: Models) {
  return {
    insertion: (_tenant: Tenant, event: PreviewEventDoc): Write => insertion(PreviewEvent, event),
    find: (tenant: Tenant, id: Types.ObjectId) =>
      PreviewEvent.findOne({ _id: id, customerId: tenant.customerId }).lean<PreviewEventDoc>(),

    answered: (_tenant: Tenant, id: string) => Idempotency.findOne({ _id: id }).lean<IdempotencyDoc>(),
    answer: (_tenant: Tenant, answer: IdempotencyDoc): Write => insertion(Idempotency, answer),
    /** Takes away an answer that is past its time but that the database has not yet removed. */
    forget: (_tenant: Tenant, answer: IdempotencyDoc): Write =>
      removal(Idempotency, { _id: answer._id, expiresAt: answer.expiresAt }),
  };
}

export type EventStore = ReturnType<typeof eventStore>;
