import type * as v1 from '../generated/v1.ts';

type PathItems = v1.components['pathItems'];
type BodyOf<I> = I extends { post: { requestBody: { content: { 'application/json': infer B } } } }
  ? B
  : never;

/** Body of an event of a custom type, to endpoints that have its name or `custom.*` in `events`. */
export type CustomWebhookEvent = Omit<BodyOf<PathItems['Custom']>, 'event'> & { event: `custom.${string}` };

/** Body of a delivery. `event` discriminates the union: it determines the type of `data`. */
export type WebhookEvent =
  | { [K in Exclude<keyof PathItems, 'Custom'>]: BodyOf<PathItems[K]> }[Exclude<keyof PathItems, 'Custom'>]
  | CustomWebhookEvent;

/** Body of a delivery to an endpoint with `payload: 'thin'`. */
export interface ThinWebhookEvent {
  event: WebhookEvent['event'];
  /** Ids of the event without those of a person. */
  data: { customerId: number; orgId: string; test?: true; [id: string]: unknown };
  /** Unix time of the event in seconds. */
  ts: number;
  /** The resource that shows the current state; it requires an API key. */
  url: string;
}

/** Bodies of deliveries by the names of their events. */
export type WebhookEvents = { [E in WebhookEvent as E['event']]: E };

/** Name of an event. */
export type WebhookEventName = keyof WebhookEvents;

/** A delivery whose signature was verified. */
export type VerifiedWebhook<E extends WebhookEvent | ThinWebhookEvent = WebhookEvent> = E & {
  /**
   * Id of the event (`webhook-id`), the same at every attempt: deduplicate by it. Null if the request has no
   * `webhook-signature`, which covers the id; use the ids in `data` then.
   */
  id: string | null;
  /** Time of the attempt. The time of the event is `ts`, in Unix seconds. */
  attemptedAt: Date;
};
