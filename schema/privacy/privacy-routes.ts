import { type RestFieldOptions, restField } from '../rest-route.ts';

type PrivacyRoute = Pick<RestFieldOptions, 'method' | 'path' | 'scope' | 'resource' | 'summary' | 'example'> &
  Partial<RestFieldOptions>;

/** Declares a route about the personal data of a customer; `path` is relative to the customer. */
export const privacyRoute = (route: PrivacyRoute) =>
  restField({ mount: 'v1', tag: 'Privacy', ...route, path: `/customers/:customerId${route.path}` });
