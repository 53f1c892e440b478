import { MAX_INT32 } from '../../shared/int32.ts';
import { VERIFICATION_SNIPPETS } from '../../shared/verification-snippets.ts';
import type { Json } from './openapi-types.ts';

const integer = (description: string): Json => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Headers of responses. */
export const HEADERS = {
  'X-Request-Id': {
    description: "ID of the request: the client's if it sent a valid one, otherwise generated.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'RateLimit-Limit': integer('Requests allowed per window and API key; absent if there is no limit.'),
  'RateLimit-Remaining': integer('Requests left in the current window.'),
  'RateLimit-Reset': integer('Seconds until the next window.'),
  ETag: {
    description:
      'Entity tag of the content. Pass it as `If-None-Match` to get a 304 while the content is the same.',
    schema: { type: 'string', pattern: '^(W/)?"[A-Za-z0-9_-]+"$' },
  },
  Location: {
    description: 'Path of the new resource.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'RateLimit-Policy': {
    description: 'Requests allowed per window (`q`) and seconds of a window (`w`).',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=[0-9]+$' },
  },
  RateLimit: {
    description: 'Requests left in the current window (`r`) and seconds until the next one (`t`).',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
  },
  'Idempotent-Replayed': {
    description:
      'Present if this response repeats the one to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
};

/** Headers of every response to a request that counts toward a rate limit. */
export const RATE_LIMIT_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const;

export const headerRefs = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** `components.parameters`: parameters of many operations. */
export const PARAMETERS = {
  CustomerId: {
    name: 'X-Customer-Id',
    in: 'header',
    description:
      "Customer to act for. A customer's own key can omit it. An admin key must name the customer wherever customer data is concerned, here or in the path; if both do, they must match.",
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INT32 },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe: for 24 hours, a request with the same key, path and body returns the first successful response again; the same key with another path or body returns 409. The key is scoped to customer and route.',
    schema: { type: 'string', pattern: '^[ -~]+$', minLength: 1, maxLength: 255 },
  },
};

/** `components.securitySchemes`. */
export const SECURITY_SCHEMES: Json = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer eg_…`.' },
};

/** Description of each tag. */
export const TAGS: Record<string, string> = {
  'Webhook endpoints': 'Endpoints that receive events as signed webhooks.',
  'Webhook deliveries': 'Deliveries to endpoints: status, attempts, resend and recovery.',
  'Event feeds': 'Events in the order in which they were committed, for clients that pull them.',
  'Event types': 'The event types that endpoints can receive.',
  Events: 'Events that visitors caused, conversions included, and events that are published to endpoints.',
  Conversations: 'Conversations between visitors, the bot and operators.',
  Drift: 'Drift of the scoring model.',
  Customers: 'Customers of the service, for admin keys.',
  'API keys': 'API keys of customers and admins, for admin keys.',
  Operation: 'Health and metrics, for monitoring.',
};

const COMMON = `Every request requires \`Authorization: Bearer <key>\` unless stated otherwise. Bodies are JSON in UTF-8, at most 1 MiB; unknown fields and
unknown query parameters are rejected by name. Every error has a machine-readable \`code\` and a \`requestId\`.`;

/** Publisher of the documents. */
export const PUBLISHER = {
  contact: { name: 'Maintainers of the customer engagement service' },
  // The repository grants no license.
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
};

/** `info` of each document. */
export const INFO = {
  v1: {
    ...PUBLISHER,
    title: 'Customer engagement service: REST v1',
    version: '1.0.0',
    summary: 'Webhook endpoints and their deliveries.',
    description: `${COMMON}

Lists are newest first. Pass \`nextCursor\` as \`cursor\` to get the next page. A cursor is opaque, bound to its list and
filters, and stays valid while rows are added.

The events that endpoints receive are described by the section \`webhooks\` of this document, and as AsyncAPI 3:
[asyncapi.json](/api/v1/asyncapi.json), [asyncapi.yaml](/api/v1/asyncapi.yaml).

<details><summary>Verify the signature of a delivery</summary>

${VERIFICATION_SNIPPETS.map(({ name, language, code }) => `**${name}**\n\n\`\`\`${language}\n${code}\`\`\``).join('\n\n')}

</details>`,
  },
  preview: {
    ...PUBLISHER,
    title: 'Customer engagement service: REST preview',
    version: '0.1.0-preview',
    summary: 'Events and conversations. A preview: schemas and paths can change.',
    description: `**This is a preview.** It is in active development; schemas and paths can change before general availability.

${COMMON}

The same events are delivered to webhook endpoints, which are managed with REST v1.`,
    'x-stability': 'preview',
  },
  rpc: {
    ...PUBLISHER,
    title: 'Customer engagement service: drift procedures and monitoring',
    version: '1.0.0',
    summary: 'Drift of the scoring model; health and metrics of the service.',
    description: `${COMMON}

The scoring model is shared by all customers. Every procedure queries the ML sidecar and responds with
\`SERVICE_UNAVAILABLE\` if the sidecar cannot be reached, times out or returns an invalid response; results are not cached.

Health and metrics are for monitoring: they require no API key and count toward no rate limit.`,
  },
} as const;
