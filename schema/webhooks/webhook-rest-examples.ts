import { CATALOG } from '../../src/features/outbox/event-catalog.ts';

/** Example bodies of the webhook routes, for their OpenAPI document. */

const AT = '2026-01-31T09:30:00.000Z';
const EVENT = 'conversion.recorded';

const oauth2 = {
  tokenUrl: 'https://auth.example.com/oauth/token',
  clientId: 'engagement',
  scope: 'hooks:write',
  clientAuthentication: 'client_secret_basic',
};

const settings = {
  url: 'https://example.com/hooks/engagement',
  description: 'Production receiver',
  events: [EVENT, 'conversation.ended'],
  filter: { $or: [{ 'data.value': { $gte: 100 } }, { 'data.converted': true }] },
  payload: 'full',
  headers: { 'X-Api-Key': 'example-key' },
  authentication: { oauth2: { ...oauth2, clientSecret: 'example-secret' } },
  signing: 'hmac',
  timeoutSeconds: 10,
  paused: false,
  rateLimit: { count: 100, perSeconds: 60 },
  autoRecover: true,
  ordering: 'conversation',
};

/** Signing secret of the examples; it is not one that the service issues. */
export const SECRET_EXAMPLE = 'whsec_dGhpcy1pcy1hbi1leGFtcGxlLXNlY3JldA==';

export const CREATE_ENDPOINT_EXAMPLE = settings;
export const UPDATE_ENDPOINT_EXAMPLE = { ...settings, enabled: true };

export const ENDPOINT_EXAMPLE = {
  id: 7,
  customerId: 42,
  ...settings,
  headers: { 'X-Api-Key': '***' },
  authentication: { oauth2: { ...oauth2, audience: null }, mtls: null },
  enabled: true,
  disabledReason: null,
  circuit: { state: 'closed', since: null, reason: null },
  publicKey: null,
  previousSecretExpiresAt: null,
  createdAt: AT,
  updatedAt: AT,
};

const figures = {
  succeeded: 1_204,
  failed: 2,
  attempts: 1_231,
  failedAttempts: 27,
  successRate: 0.998341625207297,
  p50: 84,
  p95: 210,
  p99: 655,
  acceptanceToArrival: { p50: 91, p95: 230, p99: 1_842 },
  lastSuccessAt: AT,
  lastFailureAt: '2026-01-31T07:12:41.000Z',
};

export const STATISTICS_EXAMPLE = {
  since: '2026-01-31T00:00:00.000Z',
  until: AT,
  step: 'day',
  ...figures,
  failingSince: null,
  backlog: 3,
  scheduledRetries: 12,
  oldestWaitingAt: AT,
  steps: [{ startsAt: '2026-01-31T00:00:00.000Z', ...figures }],
};

export const ROTATION_EXAMPLE = {
  body: { overlapSeconds: 86_400 },
  response: {
    id: ENDPOINT_EXAMPLE.id,
    secret: SECRET_EXAMPLE,
    publicKey: null,
    previousSecretExpiresAt: '2026-02-01T09:30:00.000Z',
  },
};

export const DELIVERY_EXAMPLE = {
  id: '665f1d02b8e4d3a1f0c9b811',
  endpointId: 7,
  eventId: '665f1c9db8e4d3a1f0c9b801',
  event: EVENT,
  status: 'succeeded',
  attempt: 1,
  nextRetryAt: null,
  waitingFor: null,
  createdAt: AT,
  lastAttemptAt: AT,
  responseStatus: 200,
  error: null,
  failureReason: null,
  durationMs: 84,
};

/** A delivery that was just queued for an attempt. */
export const QUEUED_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  status: 'pending',
  attempt: 0,
  lastAttemptAt: null,
  responseStatus: null,
  durationMs: null,
};

const PAYLOAD = JSON.stringify({ event: EVENT, data: CATALOG[EVENT].example, ts: Date.parse(AT) / 1000 });

export const EVENT_EXAMPLE = {
  id: DELIVERY_EXAMPLE.eventId,
  event: EVENT,
  payload: PAYLOAD,
  conversationId: '665f1c2ab8e4d3a1f0c9b7e6',
  createdAt: AT,
  deliveries: [DELIVERY_EXAMPLE],
};

export const EXPLANATION_EXAMPLE = {
  eventId: DELIVERY_EXAMPLE.eventId,
  endpointId: DELIVERY_EXAMPLE.endpointId,
  reason: 'retrying',
  message: 'Attempt 3 is due at 2026-01-31T09:35:00.000Z. The last error is http_500.',
  event: EVENT,
  clause: null,
  value: null,
  deliveryId: DELIVERY_EXAMPLE.id,
  status: 'retrying',
  attempt: 2,
  lastAttemptAt: AT,
  responseStatus: 500,
  error: 'http_500',
  durationMs: 84,
  nextRetryAt: '2026-01-31T09:35:00.000Z',
};

export const DELIVERY_DETAIL_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  payload: PAYLOAD,
  attempts: [
    {
      number: 1,
      at: AT,
      manual: false,
      probe: false,
      responseStatus: 200,
      responseBody: 'ok',
      requestHeaders: [
        { name: 'content-type', value: 'application/json' },
        { name: 'X-SVC-Signature', value: '***' },
        { name: 'webhook-id', value: DELIVERY_EXAMPLE.eventId },
      ],
      responseHeaders: [{ name: 'content-type', value: 'text/plain' }],
      error: null,
      durationMs: 84,
    },
  ],
  scheduledAttempts: 1,
  manualAttempts: 0,
};

export const EVENT_NAME_EXAMPLE = EVENT;

const { customerId: _customerId, orgId: _orgId, ...testData } = CATALOG[EVENT].example;
export const TEST_DATA_EXAMPLE = testData;
