import type { Json } from './types.ts';

const integer = (description: string): Json => ({ description, schema: { type: 'integer', minimum: 0 } });

/** `components.headers`. */
export const HEADERS: Json = {
  'X-Request-Id': {
    description: "The request's own where it had a sane one, else a fresh one.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  'RateLimit-Limit': integer('Requests that the key may make in a window; absent where there is no limit.'),
  'RateLimit-Remaining': integer('Requests that are left of this window.'),
  'RateLimit-Reset': integer('Seconds until the next window.'),
  'Idempotent-Replayed': {
    description: 'There when this is the first answer to the same `Idempotency-Key` again.',
    schema: { type: 'string', const: 'true' },
  },
};

/** `components.parameters`. */
export const PARAMETERS: Json = {
  CustomerId: {
    name: 'X-Customer-Id',
    in: 'header',
    description: 'The customer to act for. An admin key must name one; any other key has its own.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 2 ** 31 - 1 },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repeated request safe: within 24 hours the same key and body get the first answer again, and the same key with another body is a 409.',
    schema: { type: 'string', pattern: '^[ -~]+$', minLength: 1, maxLength: 255 },
  },
};

/** `components.securitySchemes`. */
export const SECURITY_SCHEMES: Json = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer eg_…`.' },
};

/** What each tag is about. */
export const TAGS: Record<string, string> = {
  'Webhook endpoints': 'Where a customer wants to be told what happened.',
  'Webhook deliveries': 'What was sent there, how it went, and how to send it again.',
  'Event types': 'What there is to be told.',
  Events: 'What visitors did.',
  Conversations: 'What visitors and the bot said to each other.',
  Drift: 'Whether the scoring model still fits reality.',
};

const COMMON = `Every request needs \`Authorization: Bearer <key>\`. Bodies are JSON in UTF-8, of 1 MiB at most; unknown fields and
unknown query parameters are refused by name. Errors have one shape, with a \`code\` for programs and a \`requestId\`.`;

/** \`info\` of each document. */
export const INFO = {
  v1: {
    title: 'Customer engagement service: REST v1',
    version: '1.0.0',
    summary: 'Webhook endpoints and their deliveries.',
    description: `${COMMON}

Lists are newest first. \`nextCursor\` goes back as \`cursor\` to get the next page; it is opaque, belongs to its list and
filters, and stays right while rows are added.`,
  },
  preview: {
    title: 'Customer engagement service: REST preview',
    version: '0.1.0-preview',
    summary: 'Events and conversations. A preview: shapes and addresses may still change.',
    description: `**This is a preview.** It is in active development; shapes and addresses may change before it becomes generally available.

${COMMON}

Events can be received through webhook endpoints, too, which are registered with REST v1; list, payload and signatures
are the same.`,
    'x-stability': 'preview',
  },
  rpc: {
    title: 'Customer engagement service: drift procedures',
    version: '1.0.0',
    summary: 'How far the scoring model has drifted.',
    description: `${COMMON}

The model and its drift belong to no customer. Every procedure asks the ML sidecar, and answers \`SERVICE_UNAVAILABLE\`
while that cannot be reached, is too slow or answers nonsense; nothing is answered from an earlier time.`,
  },
} as const;
