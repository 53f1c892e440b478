/** Where a conversation can stand: two in which it goes on, and three in which it is over (contract 8). */
export const CONVERSATION_STATUSES = ['active', 'handed_off', 'ended', 'converted', 'closed'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

export const URGENCIES = ['low', 'normal', 'high', 'urgent'] as const;
export type Urgency = (typeof URGENCIES)[number];

export const MESSAGE_ROLES = ['visitor', 'bot', 'operator'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** Maximum number of messages in a conversation (contract 8), so that one response holds a whole transcript. */
export const MAX_MESSAGES = 10_000;

/** Who a visitor turned out to be. */
export interface Identity {
  resolvedPersonId: string;
  company: string | null;
  firstName: string | null;
  lastName: string | null;
  jobTitle: string | null;
  email: string | null;
}

/** A goal that a visitor has reached. */
export interface Conversion {
  /** `conversionEventId` of its webhook. */
  id: string;
  type: string;
  goal: string;
  value: number | null;
  recordedAt: Date;
}

/** The person or company that a conversation was resolved to. */
export interface Resolution {
  /** `resolutionEventId` of its webhook. */
  id: string;
  resolvedPersonId: string | null;
  resolvedCompany: string | null;
  recordedAt: Date;
}

/** A request for a person to take over. */
export interface Handoff {
  /** `escalationId` of its webhook. */
  id: string;
  schemaName: string;
  urgency: Urgency;
  reason: string | null;
  requestedAt: Date;
}

/** The grade that a reviewer gave. */
export interface Outcome {
  category: string;
  markedAt: Date;
}

/** A visitor's chat, without its transcript. */
export interface Conversation {
  id: string;
  visitorId: string;
  status: ConversationStatus;
  /** True once any conversion was recorded in it. */
  converted: boolean;
  goal: string | null;
  startedAt: Date;
  /** When it first reached a terminal status. */
  endedAt: Date | null;
  messageCount: number;
  identity: Identity | null;
  /** The latest one. */
  conversion: Conversion | null;
  outcome: Outcome | null;
}

/** One message of a transcript. */
export interface Message {
  id: string;
  role: MessageRole;
  text: string;
  sentAt: Date;
}
