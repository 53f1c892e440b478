interface Envelope {
  event: string;
  data: Record<string, unknown>;
}

/** Field by which a client recognizes an event of its own. */
const FIELDS: Record<string, string> = {
  'conversion.recorded': 'conversionType',
  'conversation.started': 'visitorId',
  'handoff.requested': 'schemaName',
  'conversation.ended': 'conversationId',
};

/** Returns what identifies an event of the load, both to the client that caused it and to the receiver. */
export const eventIdentity = ({ event, data }: Envelope): string =>
  `${event} ${data[FIELDS[event] ?? ''] ?? 'unknown'}`;
