import { rest } from '../builder.ts';
import type { RestRoute } from '../rest-route.ts';

type Described = Pick<RestRoute, 'method' | 'path' | 'scope' | 'summary'> & Partial<RestRoute>;

/** A route below the collection of webhook endpoints; `path` goes on behind it. */
export const endpointRoute = (route: Described) =>
  rest({
    mount: 'v1',
    tag: 'Webhook endpoints',
    ...route,
    path: `/customers/:customerId/webhook-endpoints${route.path}`,
  });

/** A route below one endpoint's deliveries; its arguments are called as its parameters are. */
export const deliveryRoute = (route: Described) =>
  endpointRoute({ tag: 'Webhook deliveries', ...route, path: `/:endpointId${route.path}` });
