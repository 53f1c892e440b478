import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { tenantLeaseModel } from '../../../platform/leases/tenant-lease.model.ts';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import type { OutboxEvent } from '../../outbox/outbox-event.ts';
import type { PersonalFields } from '../../privacy/personal-fields.ts';
import type { ConversationDoc } from '../conversations.model.ts';

/** The right to import for a tenant. */
export const importLeaseModel = tenantLeaseModel('ConversationImportLease', 'conversationImportLeases');

/** A conversation with the events to publish. */
export interface Publication {
  conversation: ConversationDoc;
  events: OutboxEvent[];
}

/**
 * A conversation that an import is storing. It is written before the first message and removed once the conversation is
 * stored or discarded, so it marks what a killed import left behind.
 *
 * `staged` becomes either `publishing` or `discarding`. Only one import can make that update, so a stalled import cannot
 * publish what another has discarded. Another import completes a publication, because it cannot know whether the first
 * one will.
 */
export interface StagedConversationDoc {
  /** Id of the conversation, unique across all running imports. */
  _id: Types.ObjectId;
  customerId: number;
  /** Reserved with the id, because conversations have no unique index on it. */
  importId?: string;
  /** Identifies a batch of an import; absent in documents of an earlier version. */
  token?: string;
  /** Absent in documents of an earlier version, which are `staged`. */
  state?: 'staged' | 'publishing' | 'discarding';
  /** Published from `publishing` on. Absent in a `staged` document of an earlier version. */
  publication?: Publication;
}

const stagedConversationSchema = new Schema<StagedConversationDoc>(
  {
    customerId: { type: Number, required: true },
    importId: String,
    token: String,
    state: { type: String, enum: ['staged', 'publishing', 'discarding'] },
    publication: Schema.Types.Mixed,
  },
  { ...STRICT, collection: 'stagedConversations' },
);
stagedConversationSchema.index({ customerId: 1 });
stagedConversationSchema.index(
  { customerId: 1, importId: 1 },
  { unique: true, partialFilterExpression: { importId: { $exists: true } } },
);

export const STAGED_FIELDS: PersonalFields = {
  collection: 'stagedConversations',
  fields: ['publication'],
  shardKey: [],
  scan: { by: '_id', hint: { _id: 1 } },
};

export const stagedConversationModel = (connection: Connection): Model<StagedConversationDoc> =>
  connection.model<StagedConversationDoc>('StagedConversation', stagedConversationSchema);
