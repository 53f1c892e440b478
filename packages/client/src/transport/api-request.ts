import type { RoutePath } from '../models.ts';

/** Query parameters; undefined ones are left out, dates are sent in ISO 8601. */
export type Query = Record<string, string | number | boolean | Date | undefined>;

/** A request of a route that the OpenAPI documents describe. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: RoutePath;
  /** Values of the path's parameters, except `customerId`. */
  params?: Record<string, string | number>;
  query?: Query;
  /** Sent as JSON. */
  body?: object;
  /** True if the request acts for a customer that its path does not name. */
  namesCustomer?: boolean;
  /** True if the request needs no API key. */
  isPublic?: boolean;
  /** Recognizes a body that is a result although its status is one of an error. */
  isResult?(body: unknown): boolean;
}

/**
 * Returns the path and query of a request.
 *
 * @throws TypeError if a parameter of the path is missing or would change the path
 */
export function targetOf({ path, params, query }: ApiRequest, customerId: number | undefined): string {
  const values: Record<string, string | number | undefined> = { customerId, ...params };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

function segment(name: string, value: string | number | undefined): string {
  if (value === undefined && name === 'customerId') {
    throw new TypeError('customerId is not set; set it in the options of the client or of the request.');
  }
  // URLs resolve dots as segments, encoded or not.
  if (value === undefined || /^\.{0,2}$/.test(String(value))) {
    throw new TypeError(`${name} must be an id, not ${JSON.stringify(value)}.`);
  }
  return encodeURIComponent(value);
}
