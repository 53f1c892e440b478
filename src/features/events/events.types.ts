/** An accepted event. For a conversion, `id` is the `conversionEventId` of its webhook. */
export interface PreviewEvent {
  id: string;
  type: string;
  goal: string | null;
  visitorId: string;
  conversationId: string | null;
  value: number | null;
  occurredAt: Date;
  createdAt: Date;
}
