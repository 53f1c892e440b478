/** An accepted event. For a conversion, `id` is the `conversionEventId` of its webhook. */
export interface PreviewEvent {
  id: string;
  /** The webhook event that it caused; null for a custom type that no endpoint and no feed had named. */
  eventId: string | null;
  type: string;
  goal: string | null;
  /** `[suppressed]` for a suppressed person. */
  visitorId: string;
  /** True if the visitor is a suppressed person: the properties are not stored. */
  suppressed: boolean;
  conversationId: string | null;
  value: number | null;
  occurredAt: Date;
  createdAt: Date;
}

export interface CustomEventFilter {
  type?: string | undefined;
  visitorId?: string | undefined;
  /** Accepted at or after. */
  since?: Date | undefined;
  /** Accepted before. */
  until?: Date | undefined;
}
