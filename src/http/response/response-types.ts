import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { JSON_TYPE } from './security-headers.ts';

/** JSON whose HTTP status depends on the outcome of the operation (GraphQL over HTTP). */
export const GRAPHQL_RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';
export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

type JsonType = typeof JSON_TYPE | typeof GRAPHQL_RESPONSE_TYPE;
export type ResponseType = JsonType | typeof EVENT_STREAM_TYPE;

/** JSON comes first: it is the type for a client that accepts everything. */
const JSON_TYPES: [JsonType, JsonType] = [JSON_TYPE, GRAPHQL_RESPONSE_TYPE];
const RESPONSE_TYPES: [ResponseType, ...ResponseType[]] = [...JSON_TYPES, EVENT_STREAM_TYPE];

interface AcceptedTypes {
  /** Type of an error of the whole request. */
  json: JsonType;
  /** Type of the result of a query or mutation. */
  result: ResponseType;
  /** True if the client names `text/event-stream`, which a subscription requires; a wildcard does not count. */
  events: boolean;
  /** True if the client prefers a page to the result of an operation. */
  page: boolean;
}

/** Longer headers are ignored: no client needs them, and they would be expensive to parse. */
const MAX_ACCEPT_CHARACTERS = 1_000;
/** Every client sends the same few values. */
const known = new LRUCache<string, AcceptedTypes>({ max: 100 });

/**
 * Returns the response types that a client prefers. An `Accept` that allows none of them is ignored, as GraphQL over HTTP
 * permits: the response is `application/json`.
 */
export function acceptedTypes(accept = '*/*'): AcceptedTypes {
  if (accept.length > MAX_ACCEPT_CHARACTERS) return acceptedTypes();
  const types = known.get(accept) ?? negotiate(new Negotiator({ headers: { accept } }));
  known.set(accept, types);
  return types;
}

const negotiate = (negotiator: Negotiator): AcceptedTypes => ({
  json: preferred(negotiator, JSON_TYPES),
  result: preferred(negotiator, RESPONSE_TYPES),
  events: negotiator.mediaTypes().some((type) => type.toLowerCase() === 'text/event-stream'),
  page: preferred(negotiator, [...RESPONSE_TYPES, HTML_TYPE]) === HTML_TYPE,
});

/** Returns the type that a client prefers; the first one if it accepts none. */
function preferred<T extends string>(negotiator: Negotiator, types: readonly [T, ...T[]]): T {
  const type = negotiator.mediaType([...types]);
  return types.find((candidate) => candidate === type) ?? types[0];
}
