import { type Connection, type Model, Schema, type Types } from 'mongoose';
import { STRICT } from '../../platform/mongo/strict-schema.ts';
import { SUPPRESSED } from '../privacy/person.ts';
import { type PersonalFields, UNREADABLE } from '../privacy/personal-fields.ts';
import { IDENTIFYING_FIELDS, IGNORING_CASE, lookupsOf } from './conversation-filter.ts';
import {
  CONVERSATION_STATUSES,
  type Conversation,
  type ConversationStatus,
  type Conversion,
  type Handoff,
  type Identity,
  MESSAGE_ROLES,
  type Message,
  type MessageRole,
  type Outcome,
  type Resolution,
} from './conversations.types.ts';

const OPTIONS = { ...STRICT, minimize: false } as const;

/** Index of the lists, and of all conversations of a tenant. */
export const BY_ORDER = { customerId: 1, order: -1 } as const;

export interface ConversationDoc {
  _id: Types.ObjectId;
  customerId: number;
  visitorId: string;
  status: ConversationStatus;
  converted: boolean;
  goal: string | null;
  startedAt: Date;
  endedAt: Date | null;
  /** Sort key of the lists: start time and id in one string, so that an index range is exactly one page. */
  order: string;
  messageCount: number;
  /** Size of all message texts as JSON, in bytes. */
  textBytes: number;
  identity: Identity | null;
  conversion: Conversion | null;
  outcome: Outcome | null;
  /** Latest resolution; null if there is none. */
  resolution: Pick<Resolution, 'resolvedPersonId' | 'resolvedCompany'> | null;
  /**
   * Time of its latest event. A later event has a later time, and so a later id, whichever process publishes it: clocks of
   * processes differ. Absent in a conversation of an earlier build without a later event.
   */
  lastEventAt?: Date;
  /** Id in the system that it was imported from, unique per tenant; absent if it was not imported. */
  importId?: string;
  /** Keyed hashes of what identifies its visitor, while that is encrypted; absent otherwise. */
  lookups?: string[];
}

export const IMPORT_ID_INDEX = { customerId: 1, importId: 1 } as const;

const conversationSchema = new Schema<ConversationDoc>(
  {
    customerId: { type: Number, required: true },
    visitorId: { type: String, required: true },
    status: { type: String, enum: CONVERSATION_STATUSES, required: true },
    converted: { type: Boolean, required: true },
    goal: { type: Schema.Types.Mixed, default: null },
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, default: null },
    order: { type: String, required: true },
    messageCount: { type: Number, required: true },
    textBytes: { type: Number, required: true },
    identity: { type: Schema.Types.Mixed, default: null },
    conversion: { type: Schema.Types.Mixed, default: null },
    outcome: { type: Schema.Types.Mixed, default: null },
    resolution: { type: Schema.Types.Mixed, default: null },
    lastEventAt: Date,
    importId: String,
    lookups: { type: [String], default: undefined },
  },
  { ...OPTIONS, collection: 'conversations', shardKey: { customerId: 1, _id: 1 } },
);
// One index per combination of list filters, in the order of the list.
conversationSchema.index(BY_ORDER);
conversationSchema.index({ customerId: 1, status: 1, order: -1 });
conversationSchema.index({ customerId: 1, converted: 1, order: -1 });
conversationSchema.index({ customerId: 1, status: 1, converted: 1, order: -1 });
conversationSchema.index({ customerId: 1, visitorId: 1, order: -1 });
// Not unique, because a unique index must begin with the shard key. Imports reserve the ids in `stagedConversations`.
conversationSchema.index(IMPORT_ID_INDEX, { partialFilterExpression: { importId: { $exists: true } } });

// Written when an identity or a resolution is set, so that no other change of a conversation costs more.
for (const field of IDENTIFYING_FIELDS)
  conversationSchema.index(
    { customerId: 1, [field]: 1, order: -1 },
    { partialFilterExpression: { [field]: { $exists: true } }, collation: IGNORING_CASE },
  );

// One index of all hashes: they differ by what is hashed.
conversationSchema.index(
  { customerId: 1, lookups: 1, order: -1 },
  { partialFilterExpression: { lookups: { $exists: true } }, collation: IGNORING_CASE },
);

const UNREADABLE_IDENTITY: Identity = {
  ...{ resolvedPersonId: UNREADABLE, email: null, firstName: null, lastName: null },
  ...{ company: null, jobTitle: null },
};

export const CONVERSATION_FIELDS: PersonalFields = {
  collection: 'conversations',
  fields: ['identity', 'resolution', 'goal', 'conversion', 'outcome'],
  unreadableAs: { goal: UNREADABLE, identity: UNREADABLE_IDENTITY },
  lookups: { from: ['identity', 'resolution'], of: lookupsOf },
  shardKey: [],
  scan: { by: 'order', hint: BY_ORDER },
};

export const conversationModel = (connection: Connection): Model<ConversationDoc> =>
  connection.model<ConversationDoc>('Conversation', conversationSchema);

/** In a collection of its own, because a conversation can have ten thousand messages. */
export interface MessageDoc {
  _id: Types.ObjectId;
  customerId: number;
  conversationId: Types.ObjectId;
  /** Position in the transcript, from 0, without gaps. */
  seq: number;
  role: MessageRole;
  text: string;
  sentAt: Date;
}

const messageSchema = new Schema<MessageDoc>(
  {
    customerId: { type: Number, required: true },
    conversationId: { type: Schema.Types.ObjectId, required: true },
    seq: { type: Number, required: true },
    role: { type: String, enum: MESSAGE_ROLES, required: true },
    text: { type: Schema.Types.Mixed, required: true },
    sentAt: { type: Date, required: true },
  },
  { ...OPTIONS, collection: 'conversationMessages', shardKey: { customerId: 1, conversationId: 1 } },
);
messageSchema.index({ customerId: 1, conversationId: 1, seq: 1 }, { unique: true });

export const MESSAGE_FIELDS: PersonalFields = {
  collection: 'conversationMessages',
  fields: ['text'],
  unreadableAs: { text: UNREADABLE },
  shardKey: ['conversationId'],
  scan: { by: 'conversationId', hint: { customerId: 1, conversationId: 1, seq: 1 } },
};

export const messageModel = (connection: Connection): Model<MessageDoc> =>
  connection.model<MessageDoc>('ConversationMessage', messageSchema);

interface MilestoneOf<Kind extends string, Data> {
  _id: Types.ObjectId;
  customerId: number;
  conversationId: Types.ObjectId;
  kind: Kind;
  /** Without the id, which is the document's. */
  data: Omit<Data, 'id'>;
}

/** A conversion, a resolution or a handoff. Immutable. */
export type MilestoneDoc =
  | MilestoneOf<'conversion', Conversion>
  | MilestoneOf<'resolution', Resolution>
  | MilestoneOf<'handoff', Handoff>;

const milestoneSchema = new Schema<MilestoneDoc>(
  {
    customerId: { type: Number, required: true },
    conversationId: { type: Schema.Types.ObjectId, required: true },
    kind: { type: String, enum: ['conversion', 'resolution', 'handoff'], required: true },
    data: { type: Schema.Types.Mixed, required: true },
  },
  { ...OPTIONS, collection: 'conversationRecords', shardKey: { customerId: 1, conversationId: 1 } },
);
milestoneSchema.index({ customerId: 1, conversationId: 1, kind: 1, _id: 1 });

export const MILESTONE_FIELDS: PersonalFields = {
  collection: 'conversationRecords',
  fields: ['data'],
  shardKey: ['conversationId'],
  scan: { by: 'conversationId', hint: { customerId: 1, conversationId: 1, kind: 1, _id: 1 } },
};

export const milestoneModel = (connection: Connection): Model<MilestoneDoc> =>
  connection.model<MilestoneDoc>('ConversationMilestone', milestoneSchema);

/** Returns the time of a further event of a conversation: now, and after its latest event. */
export const nextEventTime = ({ lastEventAt }: Pick<ConversationDoc, 'lastEventAt'>, now: Date): Date =>
  lastEventAt && lastEventAt >= now ? new Date(lastEventAt.getTime() + 1) : now;

export const toConversation = (doc: ConversationDoc): Conversation => ({
  id: doc._id.toHexString(),
  importId: doc.importId ?? null,
  visitorId: doc.visitorId,
  suppressed: doc.visitorId === SUPPRESSED,
  status: doc.status,
  converted: doc.converted,
  goal: doc.goal,
  startedAt: doc.startedAt,
  endedAt: doc.endedAt,
  messageCount: doc.messageCount,
  identity: doc.identity,
  conversion: doc.conversion,
  outcome: doc.outcome,
});

export const toMessage = ({ _id, role, text, sentAt }: MessageDoc): Message => ({
  id: _id.toHexString(),
  role,
  text,
  sentAt,
});

/** Returns a conversion, resolution or handoff with its id. */
export const toMilestone = <D extends MilestoneDoc>({ _id, data }: D): D['data'] & { id: string } => ({
  id: _id.toHexString(),
  ...data,
});
