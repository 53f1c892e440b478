import { type RestFieldOptions, restField } from '../rest-route.ts';

type WebhookRoute = Pick<RestFieldOptions, 'method' | 'path' | 'scope' | 'resource' | 'summary' | 'example'> &
  Partial<RestFieldOptions>;

/** Declares a route below the collection of webhook endpoints; `path` is relative to it. */
export const endpointRoute = (route: WebhookRoute) =>
  restField({
    mount: 'v1',
    tag: 'Webhook endpoints',
    ...route,
    path: `/customers/:customerId/webhook-endpoints${route.path}`,
  });

/** Declares a route below one endpoint that concerns its deliveries; `path` is relative to the endpoint. */
export const deliveryRoute = (route: WebhookRoute) =>
  endpointRoute({ tag: 'Webhook deliveries', ...route, path: `/:endpointId${route.path}` });

/** Declares a route below the collection of published events; `path` is relative to it. */
export const eventRoute = (route: WebhookRoute) =>
  restField({
    mount: 'v1',
    tag: 'Events',
    ...route,
    path: `/customers/:customerId/events${route.path}`,
  });
