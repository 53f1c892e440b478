import { ERROR_STATUS, type ErrorCode } from '../../errors/error-codes.ts';
import type { Route } from '../rest/rest-routes.ts';
import { takesBody, usesIdempotencyKey } from '../rest/route-variables.ts';
import { type Json, type JsonSchema, schemaRef } from './openapi-types.ts';
import { headerRefs, RATE_LIMIT_HEADERS } from './shared-components.ts';

const ERROR_CODES = Object.entries(ERROR_STATUS);

/**
 * Schemas of the body of every error response (contract 4). None is called `Error`: a generated class of
 * that name would hide the built-in one.
 */
export const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  ErrorResponse: {
    type: 'object',
    description: 'Body of every error response.',
    required: ['error'],
    properties: { error: { ...schemaRef('ErrorInfo'), description: 'The error.' } },
  },
  ErrorInfo: {
    type: 'object',
    description: 'An error.',
    required: ['code', 'message', 'requestId'],
    properties: {
      code: { ...schemaRef('ErrorCode'), description: 'Machine-readable error code.' },
      message: { type: 'string', description: 'Human-readable message; can change at any time.' },
      details: {
        type: 'array',
        description: 'Problems of the input, each with its path. Absent if there are none.',
        items: schemaRef('ErrorDetail'),
      },
      requestId: {
        type: 'string',
        description: '`X-Request-Id` of this response; quote it in support requests.',
      },
    },
  },
  ErrorDetail: {
    type: 'object',
    description: 'A problem of the input.',
    required: ['path', 'message'],
    properties: {
      path: {
        type: 'string',
        description: 'Path of the field, parameter or header, such as `url` or `events.0`.',
      },
      message: { type: 'string', description: 'Description of the valid values.' },
    },
  },
  ErrorCode: {
    type: 'string',
    description: [
      'Machine-readable error code, with its HTTP status.',
      ...ERROR_CODES.map(([code, status]) => `- \`${code}\`: ${status}`),
    ].join('\n'),
    enum: ERROR_CODES.map(([code]) => code),
  },
};

interface ErrorResponse {
  description: string;
  message: string;
  details?: { path: string; message: string }[];
  headers?: Record<string, Json>;
  /** True if the request fails before it counts toward a rate limit. */
  uncounted?: boolean;
}

const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 1 },
  },
};

/** Error responses by code, with an example message. */
const RESPONSES = {
  BAD_REQUEST: {
    description:
      'The body is not JSON, is nested more than 100 levels deep, or contains a member twice in one object.',
    message: 'The request body is not valid JSON.',
  },
  UNAUTHENTICATED: {
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    message: 'A valid API key is required: Authorization: Bearer <key>.',
    uncounted: true,
    headers: {
      'WWW-Authenticate': {
        description: 'Authentication scheme, with an error if the request had a key.',
        schema: { type: 'string', enum: ['Bearer', 'Bearer error="invalid_token"'] },
      },
    },
  },
  FORBIDDEN: {
    description:
      'The API key lacks the required scope or resource, its networks do not contain the client, or the customer is suspended or is being deleted (`CUSTOMER_SUSPENDED`).',
    message: 'API key lacks the required scope: write.',
  },
  NOT_FOUND: {
    description: 'The resource does not exist, or it belongs to another customer.',
    message: 'The resource does not exist.',
  },
  CONFLICT: {
    description:
      "The request conflicts with the resource's current state, or its `Idempotency-Key` was used with another request or is in use by one in progress (`Retry-After`).",
    message: "The request conflicts with the resource's current state.",
  },
  POSITION_GONE: {
    description: 'Retention has removed what the request asks for.',
    message: 'Up to 12 events after this position were removed by retention.',
  },
  PRECONDITION_FAILED: {
    description: 'The resource has changed since the `ETag` in `If-Match`.',
    message: 'Webhook endpoint 7 has changed since it was read; read it again.',
  },
  PAYLOAD_TOO_LARGE: {
    description: 'The body exceeds 1 MiB.',
    message: 'The request body exceeds the maximum of 1048576 bytes.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    description: 'The body is not declared as JSON in UTF-8.',
    message: 'Content-Type must be application/json in UTF-8.',
  },
  VALIDATION_FAILED: {
    description: 'A parameter or field is invalid, unknown or missing; `details` names each.',
    message: 'The input is not valid.',
    details: [{ path: 'limit', message: 'Must be a 32-bit integer.' }],
  },
  RATE_LIMITED: {
    description: 'The rate limit was exceeded.',
    message: 'Rate limit exceeded; retry after the time in Retry-After.',
    headers: retryAfter,
  },
  SERVICE_UNAVAILABLE: {
    description:
      'The service cannot process the request at the moment, for example during a database failover.',
    message: 'The service is temporarily unavailable; retry the request.',
    headers: retryAfter,
  },
  INTERNAL: { description: 'An internal error.', message: 'Internal error.' },
} satisfies Partial<Record<ErrorCode, ErrorResponse>>;

type DocumentedCode = keyof typeof RESPONSES;

/** Name of the response that describes any error in `components.responses`. */
const ANY_ERROR = 'ERROR';

const exampleOf = (code: ErrorCode, { message, details }: Pick<ErrorResponse, 'message' | 'details'>) => ({
  error: { code, message, details, requestId: '0b9f2c64-6d4e-4a53-9f0b-2f5c2a7f6d10' },
});

const responseOf = (code: DocumentedCode, response: ErrorResponse): Json => ({
  description: response.description,
  headers: {
    ...headerRefs(response.uncounted ? ['X-Request-Id'] : ['X-Request-Id', ...RATE_LIMIT_HEADERS]),
    ...response.headers,
  },
  content: {
    'application/json': { schema: schemaRef('ErrorResponse'), example: exampleOf(code, response) },
  },
});

const anyError: Json = {
  description: 'Any other error. `code` identifies it, with any status.',
  headers: headerRefs(['X-Request-Id']),
  content: {
    'application/json': {
      schema: schemaRef('ErrorResponse'),
      example: exampleOf('METHOD_NOT_ALLOWED', {
        message:
          'This path does not support the request method; see the Allow header for the supported methods.',
      }),
    },
  },
};

const codes = Object.keys(RESPONSES) as DocumentedCode[];

/** Returns true if `If-Match` can name the revision of the resource that a route changes. */
export const isConditionalChange = ({ method, validator }: Route): boolean =>
  method === 'PATCH' && validator === 'revision';

/**
 * Returns true if a route's document names an error of that code. Those of an unwanted body of a DELETE, which takes none,
 * are under `default`.
 */
function canRespondWith(route: Route, code: DocumentedCode): boolean {
  switch (code) {
    case 'BAD_REQUEST':
    case 'PAYLOAD_TOO_LARGE':
    case 'UNSUPPORTED_MEDIA_TYPE':
      return takesBody(route);
    case 'PRECONDITION_FAILED':
      return isConditionalChange(route);
    case 'FORBIDDEN':
      return route.scope !== 'read';
    case 'CONFLICT':
      return route.errors?.CONFLICT !== undefined || usesIdempotencyKey(route);
    case 'POSITION_GONE':
      return route.errors?.POSITION_GONE !== undefined;
    default:
      return true;
  }
}

const conditionsOf = ({ errors = {} }: Route): Partial<Record<ErrorCode, string>> => errors;

/** Returns `components.responses`: the codes that a route uses without a condition of its own. */
export function errorResponses(routes: readonly Route[]): Json {
  const used = codes.filter((code) =>
    routes.some((route) => canRespondWith(route, code) && !conditionsOf(route)[code]),
  );
  const responses = used.map((code) => [code, responseOf(code, RESPONSES[code])]);
  return Object.fromEntries([...responses, [ANY_ERROR, anyError]]);
}

/** The `default` response of every operation. */
export const defaultResponse = (): Json => ({ default: { $ref: `#/components/responses/${ANY_ERROR}` } });

/** Returns the errors that a route can respond with, by status. */
export function errorsOf(route: Route): Json {
  const conditions = conditionsOf(route);
  const responses = codes
    .filter((code) => canRespondWith(route, code))
    .map((code) => {
      const condition = conditions[code];
      const response = condition
        ? responseOf(code, { ...RESPONSES[code], description: condition, message: condition })
        : { $ref: `#/components/responses/${code}` };
      return [ERROR_STATUS[code], response];
    });
  return { ...Object.fromEntries(responses), ...defaultResponse() };
}
