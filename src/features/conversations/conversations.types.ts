import { jsonTextBytes } from '../../platform/json-size.ts';

/** Two open statuses and three terminal ones (contract 8). */
export const CONVERSATION_STATUSES = ['active', 'handed_off', 'ended', 'converted', 'closed'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

export const URGENCIES = ['low', 'normal', 'high', 'urgent'] as const;
export type Urgency = (typeof URGENCIES)[number];

export const MESSAGE_ROLES = ['visitor', 'bot', 'operator'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** Largest number of messages in a conversation (contract 8), so that a transcript fits into one response. */
export const MAX_MESSAGES = 10_000;
/** Largest number of messages per `appendMessages` (contract 8). */
export const MAX_BATCH = 500;
/** Maximum length of a message's text in characters (contract 4). */
export const MAX_MESSAGE_TEXT = 32_768;
/** Largest size of all message texts of a conversation as JSON (contract 8). */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Returns the size of messages' texts as JSON, in bytes. */
export const textBytesOf = (messages: readonly { text: string }[]): number =>
  messages.reduce((sum, { text }) => sum + jsonTextBytes(text), 0);

/** Resolved identity of a visitor. Unknown fields are null. */
export interface Identity {
  resolvedPersonId: string;
  company: string | null;
  firstName: string | null;
  lastName: string | null;
  jobTitle: string | null;
  email: string | null;
}

/** A goal that a visitor reached. */
export interface Conversion {
  /** `conversionEventId` of its webhook. */
  id: string;
  type: string;
  goal: string;
  /** In the customer's own unit; null if not given. */
  value: number | null;
  recordedAt: Date;
}

/** The person or company that a conversation was resolved to. */
export interface Resolution {
  /** `resolutionEventId` of its webhook. */
  id: string;
  /** Null if only the company is known. */
  resolvedPersonId: string | null;
  /** Null if only the person is known. */
  resolvedCompany: string | null;
  recordedAt: Date;
}

/** A request for a human operator to take over. */
export interface Handoff {
  /** `escalationId` of its webhook. */
  id: string;
  schemaName: string;
  urgency: Urgency;
  /** Null if not given. */
  reason: string | null;
  requestedAt: Date;
}

/** The grade that a reviewer assigned. */
export interface Outcome {
  category: string;
  markedAt: Date;
}

/** A conversation without its transcript. */
export interface Conversation {
  id: string;
  /** Id in the system that it was imported from; null if it was not imported. */
  importId: string | null;
  /** `[suppressed]` for a suppressed person. */
  visitorId: string;
  /** True if the visitor is a suppressed person: texts and identity are not stored. */
  suppressed: boolean;
  status: ConversationStatus;
  /** True once any conversion is recorded. */
  converted: boolean;
  /** Intended or reached goal; null if there is none. */
  goal: string | null;
  startedAt: Date;
  /** Time of the first terminal status; null while open. */
  endedAt: Date | null;
  messageCount: number;
  /** Null until resolved. */
  identity: Identity | null;
  /** Latest conversion; null if there is none. */
  conversion: Conversion | null;
  /** Null if not graded. */
  outcome: Outcome | null;
}

/** One message of a transcript. */
export interface Message {
  id: string;
  role: MessageRole;
  text: string;
  sentAt: Date;
}
