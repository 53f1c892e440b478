import { type Connection, type Model, Schema, type Types } from 'mongoose';
import type { Lease } from '../../../platform/leases/lease.ts';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import { type MeetingNotice, NOTICE_TYPES } from '../provider/provider.types.ts';

/** A change of a meeting that a webhook has reported. */
export interface NoticeDoc extends MeetingNotice {
  _id: Types.ObjectId;
  customerId: number;
  /** SHA-256 of the webhook's id, which identifies repetitions. */
  webhookId: string;
  status: 'pending' | 'done' | 'failed';
  receivedAt: Date;
  /** `token` is absent while no process holds the notice. `expiresAt` is the time of the next attempt. */
  lease: { token?: string; expiresAt: Date };
  attempts: number;
}

/** A notice that a process has claimed. */
export type ClaimedNotice = NoticeDoc & { lease: Lease };

/** Longer than the tolerance for a signature's timestamp, and longer than all attempts take. */
const EXPIRE_AFTER_SECONDS = 3 * 24 * 60 * 60;

const noticeSchema = new Schema<NoticeDoc>(
  {
    customerId: { type: Number, required: true },
    webhookId: { type: String, required: true },
    type: { type: String, enum: NOTICE_TYPES, required: true },
    meetingId: { type: String, required: true },
    createdAt: { type: Date, default: null },
    status: { type: String, enum: ['pending', 'done', 'failed'], required: true },
    receivedAt: { type: Date, required: true },
    lease: { token: String, expiresAt: Date },
    attempts: { type: Number, required: true },
  },
  { ...STRICT, collection: 'recorderNotices' },
);
noticeSchema.index({ customerId: 1, webhookId: 1 }, { unique: true });
// Ends with the tenant, so that claims skip notices of busy tenants without reading them.
noticeSchema.index({ status: 1, 'lease.expiresAt': 1, customerId: 1 });
// A tenant can have many notices, but receives few deletions while a page is read and stored.
noticeSchema.index({ customerId: 1, receivedAt: 1 }, { partialFilterExpression: { type: 'deleted' } });
noticeSchema.index({ receivedAt: 1 }, { expireAfterSeconds: EXPIRE_AFTER_SECONDS });

export const noticeModel = (connection: Connection): Model<NoticeDoc> =>
  connection.model<NoticeDoc>('ProviderNotice', noticeSchema);
