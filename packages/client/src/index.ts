/**
 * Client of the customer engagement service: `EngagementClient` sends requests, `verifyWebhook` verifies deliveries.
 *
 * @packageDocumentation
 */
export { EngagementClient } from './client.ts';
export {
  ApiError,
  type ApiErrorCode,
  ConnectionError,
  EngagementError,
  RequestTimeoutError,
} from './errors.ts';
export type * from './models.ts';
export type { ClientOptions, RequestOptions } from './options.ts';
export { type ListPromise, Page } from './paging.ts';
export type { ApiPromise, ApiResponse } from './transport/api-promise.ts';
export { VERSION } from './version.ts';
export type { WebhookHeaders } from './webhooks/signature-headers.ts';
export { WebhookVerificationError, type WebhookVerificationReason } from './webhooks/verification-error.ts';
export { type VerifyWebhookInput, verifyWebhook } from './webhooks/verify-webhook.ts';
export type {
  CustomWebhookEvent,
  ThinWebhookEvent,
  VerifiedWebhook,
  WebhookEvent,
  WebhookEventName,
  WebhookEvents,
} from './webhooks/webhook-events.ts';
