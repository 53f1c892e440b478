import type { Types } from 'mongoose';

export interface DocumentRef<I = Types.ObjectId> {
  _id: I;
  customerId: number;
}

/** Hint for filters by id and tenant: without it, the planner would compare several indexes. */
export const BY_ID = { _id: 1 } as const;

/** Filter by the tenants of documents; it routes the operation in a sharded cluster. */
export const ofTenants = (documents: readonly Pick<DocumentRef, 'customerId'>[]) => ({
  customerId: { $in: [...new Set(documents.map(({ customerId }) => customerId))] },
});

/** Filter: the documents with these ids. */
export const byIds = <I>(documents: readonly DocumentRef<I>[]) => ({
  _id: { $in: documents.map(({ _id }) => _id) },
  ...ofTenants(documents),
});
