export type Mount = 'v1' | 'preview' | 'rpc';
/** How a root field appears over REST. */
export interface RestRoute {
  mount: Mount;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the mount's base path, parameters as `:name`. */
  path: string;
  /** Status of a success; default 200. */
  responseStatus?: number;
  /** Path parameter -> argument where the names differ, e.g. { endpointId: 'id' }. `customerId` is never an argument: it names the tenant, checked by the HTTP layer. */
  params?: Record<string, string>;
  /** The argument that takes the whole body; without it body fields are arguments by name. */
  body?: string;
  /** Smallest scope of key that may call it. */
  scope: 'read' | 'write' | 'admin';
  /** OpenAPI tag and a one-line summary. */
  tag: string;
  summary: string;
}
