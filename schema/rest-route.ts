import type { ServiceIssues } from './argument-issues.ts';
import { COMMITS_ONCE } from './commits-once.ts';
import type { FieldAccess } from './required-access.ts';

/** A part of the API that is projected as REST below a base path of its own. */
export type Mount = 'v1' | 'preview' | 'rpc';

/** Announcement that a field or route will be removed (docs/versioning.md). */
export interface Deprecation {
  /** Date of the deprecation, such as `2026-11-30`. */
  since: string;
  /** Date of the removal; absent if it is not decided. */
  sunset?: string;
  /** Page with the replacement, as an absolute URL. */
  link: string;
}

/** Returns the options of a deprecated field. */
const deprecated = ({ since, sunset, link }: Deprecation) => ({
  deprecationReason: `Deprecated since ${since}${sunset ? `, will be removed on ${sunset}` : ''}. See ${link}`,
});

/** A root field's REST route: address, access and documentation. */
export interface RestRoute {
  mount: Mount;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the mount's base path; parameters are written as `:name`. */
  path: string;
  /** HTTP status of a success; default 200. */
  responseStatus?: number;
  /**
   * Maps path parameters to arguments where the names differ, e.g. `{ endpointId: 'id' }`. `customerId` is never an
   * argument: it names the tenant, which the HTTP layer checks.
   */
  params?: Record<string, string>;
  /** Argument that takes the whole body; without it, body fields are arguments by name. */
  body?: string;
  /**
   * Basis of the response's entity tag: the whole content, or the revision of the resource, which the resolver sets and
   * `If-Match` can name. Without it, the response has none.
   */
  validator?: 'content' | 'revision';
  /** Returns the id in a 201 response: the path of the new resource ends with it. */
  createdId?(response: unknown): string | number;
  tag: string;
  /** One-line summary for OpenAPI. */
  summary: string;
  /** True if the field resolves to a stream of text, JSON lines, which is the response. */
  lines?: true;
  /** True if the response may be large: a tenant executes one such read at a time. */
  large?: boolean;
  /** Conditions of the errors that depend on the route; the errors of every route are not repeated. */
  errors?: Partial<Record<'CONFLICT' | 'POSITION_GONE' | 'SERVICE_UNAVAILABLE', string>>;
  /** Present if the route is deprecated, and its GraphQL field with it. */
  deprecated?: Deprecation;
  /** Example query parameters and request body, if the route takes them, and example response body; lines as a list. */
  example: { query?: Record<string, unknown>; body?: object; response: object };
}

export interface RestFieldOptions extends RestRoute, FieldAccess {
  /** True if the field is part of the GraphQL schema as well. */
  graphql?: boolean;
  /** Issues of the input that only the service can find. */
  serviceIssues?: ServiceIssues;
  /** True if the field makes all of its changes in one commit of the outbox (`COMMITS_ONCE`). */
  commitsOnce?: boolean;
}

/**
 * Returns the options of a root field that a REST mount projects: its sub-graphs, its required scope and its route.
 * Everything that differs from route to route is declared here and nowhere else.
 */
export const restField = ({
  graphql = false,
  commitsOnce = false,
  scope,
  resource,
  serviceIssues,
  ...route
}: RestFieldOptions) => ({
  subGraphs: graphql ? (['graphql', route.mount] as const).slice() : [route.mount],
  scope,
  resource,
  ...(route.deprecated && deprecated(route.deprecated)),
  extensions: { rest: route, serviceIssues, ...(commitsOnce && COMMITS_ONCE) },
});
