/** The only event type that is delivered to webhooks; all other types are custom types of the tenant. */
export const CONVERSION = 'conversion';

/** An accepted event. For a conversion, `id` is the `conversionEventId` of its webhook. */
export interface PreviewEvent {
  id: string;
  /** Webhook event that it caused; null for a custom type. */
  eventId: string | null;
  type: string;
  goal: string | null;
  visitorId: string;
  conversationId: string | null;
  value: number | null;
  occurredAt: Date;
  createdAt: Date;
}

/** Selects accepted events of custom types. */
export interface CustomEventFilter {
  type?: string | undefined;
  visitorId?: string | undefined;
  /** Accepted at or after. */
  since?: Date | undefined;
  /** Accepted before. */
  until?: Date | undefined;
}
