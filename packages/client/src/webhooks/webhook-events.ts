import type * as v1 from '../generated/v1.ts';

/** Body of a webhook request, from the OpenAPI document. */
type BodyOf<W> = W extends { post: { requestBody: { content: { 'application/json': infer B } } } }
  ? B
  : never;

/** Events that the service delivers, by name. */
export type WebhookEvents = { [N in keyof v1.webhooks]: BodyOf<v1.webhooks[N]> };

/** Name of an event. */
export type WebhookEventName = keyof WebhookEvents;

/** Body of a delivery. `event` discriminates the union: it determines the type of `data`. */
export type WebhookEvent = WebhookEvents[WebhookEventName];

/** A delivery whose signature was verified. */
export type VerifiedWebhook = WebhookEvent & {
  /**
   * Id of the event (`webhook-id`), the same at every attempt: deduplicate by it. Null if the request has no
   * `webhook-signature`, which covers the id; use the ids in `data` then.
   */
  id: string | null;
  /** Time of the attempt. The time of the event is `ts`, in Unix seconds. */
  attemptedAt: Date;
};
