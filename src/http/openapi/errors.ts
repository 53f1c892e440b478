import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import type { Route } from '../rest/routes.ts';
import { takesBody } from '../rest/variables.ts';
import { type Json, type JsonSchema, schemaRef } from './types.ts';

/** The one shape of an error (contract 4). */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'What went wrong.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_STATUS), description: 'What a program goes by.' },
        message: { type: 'string', description: 'What a person reads; may change at any time.' },
        details: {
          type: 'array',
          description: 'What is wrong with the input, each thing where it stands. Only where there is any.',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: {
                type: 'string',
                description: 'Field, parameter or header, such as `url` or `events.0`.',
              },
              message: { type: 'string', description: 'What is accepted there.' },
            },
          },
        },
        requestId: {
          type: 'string',
          description: '`X-Request-Id` of this answer; name it when you ask about it.',
        },
      },
    },
  },
};

interface ErrorAnswer {
  description: string;
  message: string;
  details?: { path: string; message: string }[];
  headers?: Record<string, Json>;
}

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
};

/** Answers that any route may give, by their code. */
const ANSWERS = {
  BAD_REQUEST: {
    description: 'The body cannot be read as JSON.',
    message: 'The request body is not valid JSON.',
  },
  UNAUTHENTICATED: {
    description: 'The key is missing, malformed, unknown, expired or revoked.',
    message: 'A valid API key is needed: Authorization: Bearer <key>.',
    headers: {
      'WWW-Authenticate': {
        description: 'How to authenticate.',
        schema: { type: 'string', const: 'Bearer' },
      },
    },
  },
  FORBIDDEN: {
    description: 'The scope of the key is too small.',
    message: 'This needs a key of scope write.',
  },
  NOT_FOUND: {
    description: 'There is no such thing, or it belongs to another customer.',
    message: 'There is nothing with that id.',
  },
  CONFLICT: {
    description: 'It cannot be done as things stand.',
    message: 'It cannot be done as things stand.',
  },
  PAYLOAD_TOO_LARGE: {
    description: 'The body has more than 1 MiB.',
    message: 'The request body exceeds the maximum of 1048576 bytes.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    description: 'The body is not said to be plain JSON in UTF-8.',
    message: 'Content-Type must be application/json in UTF-8.',
  },
  VALIDATION_FAILED: {
    description: 'A parameter or a field is wrong, unknown or missing; `details` names each.',
    message: 'The input is not valid.',
    details: [{ path: 'limit', message: 'Must be a 32-bit integer.' }],
  },
  RATE_LIMITED: {
    description: 'Too many requests.',
    message: 'Too many requests; try again later.',
    headers: retryAfter,
  },
  SERVICE_UNAVAILABLE: {
    description: 'The ML sidecar is not configured, cannot be reached, is too slow or answers nonsense.',
    message: 'The ML sidecar is not available; try again later.',
  },
  INTERNAL: { description: 'Something went wrong here.', message: 'Internal error.' },
} satisfies Partial<Record<ErrorCode, ErrorAnswer>>;

type DocumentedCode = keyof typeof ANSWERS;

/** When a route answers 409, by its field; there is nothing in the schema that says so. */
const CONFLICTS: Record<string, string> = {
  createWebhookEndpoint: 'The customer has 50 webhook endpoints.',
  resendWebhookDelivery: 'An attempt of the delivery is under way, or its endpoint is disabled.',
  recoverWebhookDeliveries: 'A recovery of the endpoint is under way, or it is disabled.',
  sendTestWebhook: 'The endpoint is disabled.',
  createEvent: 'The `Idempotency-Key` was used with another body.',
};

const answer = (code: DocumentedCode, given: ErrorAnswer): Json => ({
  description: given.description,
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...given.headers },
  content: {
    'application/json': {
      schema: schemaRef('Error'),
      example: {
        error: {
          code,
          message: given.message,
          details: given.details,
          requestId: '0b9f2c64-6d4e-4a53-9f0b-2f5c2a7f6d10',
        },
      },
    },
  },
});

const codes = Object.keys(ANSWERS) as DocumentedCode[];

/** Which errors a route can answer with. */
const possibleErrors = (route: Route): Record<DocumentedCode, boolean> => ({
  BAD_REQUEST: takesBody(route),
  UNAUTHENTICATED: true,
  FORBIDDEN: route.scope !== 'read',
  // Where there is no id in the path there is still the customer that a header may name.
  NOT_FOUND: true,
  CONFLICT: CONFLICTS[route.field.name] !== undefined,
  PAYLOAD_TOO_LARGE: takesBody(route),
  UNSUPPORTED_MEDIA_TYPE: takesBody(route),
  VALIDATION_FAILED: true,
  RATE_LIMITED: true,
  // The drift procedures all ask the ML sidecar.
  SERVICE_UNAVAILABLE: route.mount === 'rpc',
  INTERNAL: true,
});

/** `components.responses`: one for each code that any of the routes can answer with. */
export function errorResponses(routes: readonly Route[]): Json {
  const possible = routes.map(possibleErrors);
  const used = codes.filter((code) => possible.some((errors) => errors[code]));
  return Object.fromEntries(used.map((code) => [code, answer(code, ANSWERS[code])]));
}

/** The errors that a route can answer with, by status. */
export function errorsOf(route: Route): Json {
  const conflict = CONFLICTS[route.field.name];
  const possible = possibleErrors(route);
  const answers = codes
    .filter((code) => possible[code])
    .map((code) => [
      ERROR_STATUS[code],
      code === 'CONFLICT' && conflict
        ? answer(code, { description: conflict, message: conflict })
        : { $ref: `#/components/responses/${code}` },
    ]);
  return Object.fromEntries(answers);
}
