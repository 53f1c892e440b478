import type { Types } from 'mongoose';

/** Id and tenant of a document. */
export interface DocumentRef<I = Types.ObjectId> {
  _id: I;
  customerId: number;
}

/** Hint for filters by id that name the tenant too, for which the planner would compare several indexes. */
export const BY_ID = { _id: 1 } as const;

/** Filter: documents of the same tenants. It routes the operation in a sharded cluster. */
export const ofTenants = (documents: readonly Pick<DocumentRef, 'customerId'>[]) => ({
  customerId: { $in: [...new Set(documents.map(({ customerId }) => customerId))] },
});

/** Filter: the documents with these ids. */
export const byIds = <I>(documents: readonly DocumentRef<I>[]) => ({
  _id: { $in: documents.map(({ _id }) => _id) },
  ...ofTenants(documents),
});
