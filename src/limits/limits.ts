const SCOPE = {
  request: 'request',
  /** With workers: in each worker. */
  process: 'process',
  /** With workers: each has an equal part, at least one. */
  divided: 'process, divided among workers',
  /** With workers: counted by their primary. */
  workers: 'process, workers together',
  all: 'database, over all processes',
} as const;

/** One limit on what clients use. */
interface Limit {
  counted: string;
  /** Where it is counted. */
  scope: (typeof SCOPE)[keyof typeof SCOPE];
  /** Without its setting; null for no limit. A text is a value of the setting. */
  default: number | string | null;
  /** Name of the environment variable; null if the limit is fixed. */
  setting: string | null;
  /** What happens beyond the limit. */
  beyond: string;
}

const CREATE_REFUSED = '409 `CONFLICT` (section 3)';
const REFUSED_FOR_A_MINUTE = '429 until the minute ends';

/**
 * Every limit on what clients use, with the values that the code applies. Contract 4 has the same table. Limits on the
 * form of input, such as the length of a text, stand with their input; the time that a queued request waits is in
 * `key-limits.ts`.
 */
export const LIMITS = {
  runningRequests: {
    counted: 'requests of an API key in execution',
    scope: SCOPE.divided,
    default: 16,
    setting: 'HTTP_MAX_REQUESTS_PER_KEY',
    beyond: 'the request is queued',
  },
  queuedRequests: {
    counted: 'queued requests of an API key, for up to a second each',
    scope: SCOPE.process,
    default: 64,
    setting: null,
    beyond: '429',
  },
  subscriptions: {
    counted: 'subscriptions of an API key',
    scope: SCOPE.process,
    default: 50,
    setting: null,
    beyond: '429',
  },
  waitingPulls: {
    counted: 'pulls from event feeds of an API key that wait for an event',
    scope: SCOPE.process,
    default: 8,
    setting: null,
    beyond: '429',
  },
  quota: {
    counted: 'points of an API key in a window: a request takes one, an expensive GraphQL operation more',
    scope: SCOPE.all,
    default: '60000/min',
    setting: 'RATE_LIMIT',
    beyond: '429 until the window ends',
  },
  failedAuthentications: {
    counted:
      'failed authentications of a client address in a minute, with requests that are refused for the networks of their key or a suspended customer; of a webhook of the meeting provider: invalid signatures; also reads of `/.well-known/webhook-keys.json` by a client address',
    scope: SCOPE.workers,
    default: 300,
    setting: null,
    beyond: '429 for further ones; off with `RATE_LIMIT=off`',
  },
  connections: {
    counted: 'open connections',
    scope: SCOPE.divided,
    default: 10_000,
    setting: 'HTTP_MAX_CONNECTIONS',
    beyond: 'the connection is closed on arrival',
  },
  connectionsPerAddress: {
    counted:
      'open connections of a client address (an IPv6 address counts as its /64), except connections of `TRUSTED_PROXIES`',
    scope: SCOPE.divided,
    default: 1_000,
    setting: 'HTTP_MAX_CONNECTIONS_PER_ADDRESS',
    beyond: 'the connection is closed on arrival',
  },
  largeReads: {
    counted: 'large reads of a customer in execution',
    scope: SCOPE.process,
    default: 1,
    setting: null,
    beyond: 'the read waits for its turn',
  },
  responseMemoryMiB: {
    counted:
      'MiB of memory for large reads in execution and for responses above 16 KiB that clients have not read',
    scope: SCOPE.process,
    default: 64,
    setting: null,
    beyond: 'large reads wait; the slowest reader is disconnected',
  },
  responseMiB: {
    counted: 'MiB of a response, and of the rows that a GraphQL operation reads',
    scope: SCOPE.request,
    default: 16,
    setting: null,
    beyond: '400 `BAD_REQUEST`',
  },
  concurrentReads: {
    counted: 'concurrent reads of rows',
    scope: SCOPE.request,
    default: 8,
    setting: null,
    beyond: 'further reads wait',
  },
  testEvents: {
    counted: 'test events of an endpoint in a minute',
    scope: SCOPE.all,
    default: 10,
    setting: null,
    beyond: REFUSED_FOR_A_MINUTE,
  },
  challenges: {
    counted: 'challenges to the URLs of a customer in a minute',
    scope: SCOPE.all,
    default: 10,
    setting: null,
    beyond: REFUSED_FOR_A_MINUTE,
  },
  providerKeys: {
    counted: 'provider keys that a customer connects in a minute',
    scope: SCOPE.all,
    default: 5,
    setting: null,
    beyond: `${REFUSED_FOR_A_MINUTE}; off with \`RATE_LIMIT=off\``,
  },
  providerWebhooks: {
    counted: 'valid webhooks of the meeting provider for a customer in a minute',
    scope: SCOPE.all,
    default: 300,
    setting: null,
    beyond: REFUSED_FOR_A_MINUTE,
  },
  idempotentResponsesMiB: {
    counted:
      'MiB of stored responses to requests of a customer with an `Idempotency-Key` in a day, those that a commit determines and all others apart',
    scope: SCOPE.all,
    default: 256,
    setting: null,
    beyond: 'the response is not stored (above)',
  },
  storedEvents: {
    counted: 'stored webhook events of a customer',
    scope: SCOPE.all,
    default: null,
    setting: 'TENANT_MAX_STORED_EVENTS',
    beyond: CREATE_REFUSED,
  },
  conversations: {
    counted: 'conversations of a customer',
    scope: SCOPE.all,
    default: null,
    setting: 'TENANT_MAX_CONVERSATIONS',
    beyond: CREATE_REFUSED,
  },
  meetings: {
    counted: 'meetings of a customer',
    scope: SCOPE.all,
    default: null,
    setting: 'TENANT_MAX_MEETINGS',
    beyond: CREATE_REFUSED,
  },
  customEvents: {
    counted: 'custom events of a customer',
    scope: SCOPE.all,
    default: null,
    setting: 'TENANT_MAX_CUSTOM_EVENTS',
    beyond: CREATE_REFUSED,
  },
  eventFeeds: {
    counted: 'event feeds of a customer',
    scope: SCOPE.all,
    default: 100,
    setting: null,
    beyond: '409 `CONFLICT` (section 5)',
  },
  exports: {
    counted: 'exports of a customer in progress, over HTTP and by the command',
    scope: SCOPE.all,
    default: 1,
    setting: null,
    beyond: '409 `CONFLICT` (section 14)',
  },
  streamedExports: {
    counted: 'exports over HTTP in progress, of all customers',
    scope: SCOPE.process,
    default: 8,
    setting: null,
    beyond: '503 with `Retry-After`',
  },
  endpoints: {
    counted: 'webhook endpoints of a customer',
    scope: SCOPE.all,
    default: 50,
    setting: null,
    beyond: CREATE_REFUSED,
  },
} as const satisfies Record<string, Limit>;
