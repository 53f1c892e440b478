import type * as preview from '../generated/preview.ts';
import type * as rpc from '../generated/rpc.ts';
import type * as v1 from '../generated/v1.ts';

/** Route patterns of the OpenAPI documents. */
type RoutePath =
  | `/api/v1${keyof v1.paths & string}`
  | `/v1${keyof preview.paths & string}`
  | `/api${Exclude<keyof rpc.paths, '/metrics'>}`;

/** Query parameters. Undefined ones are omitted; dates are sent as ISO 8601. */
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
  /** Returns true for the body of a result that comes with an error status. */
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
    if (value !== undefined) search.set(name, value instanceof Date ? dateTime(name, value) : String(value));
  }
  // Not `size`, without which older browsers would request the first page forever.
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}

/**
 * Returns the body of a request as JSON.
 *
 * @throws TypeError if it contains an invalid date or number: JSON has null for both, which the service would take for
 *   an omitted field
 */
export const bodyOf = ({ body }: ApiRequest): string | undefined =>
  body && JSON.stringify(body, checkedValue);

/** Replacer of `JSON.stringify`, which passes dates as strings; `this` has the original value. */
function checkedValue(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const original = this[name];
  if (original instanceof Date) return dateTime(name, original);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${name} must be a finite number, not ${value}.`);
  }
  return value;
}

function dateTime(name: string, date: Date): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${name} must be a valid date.`);
  return date.toISOString();
}

function segment(name: string, value: string | number | undefined): string {
  if (value === undefined && name === 'customerId') {
    throw new TypeError('customerId is not set; set it in the options of the client or of the request.');
  }
  // `.` and `..` would change the path, even encoded.
  if (value === undefined || /^\.{0,2}$/.test(String(value))) {
    throw new TypeError(`${name} must be an id, not ${JSON.stringify(value)}.`);
  }
  return encodeURIComponent(value);
}
