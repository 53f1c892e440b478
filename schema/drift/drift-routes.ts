import { type RestFieldOptions, restField } from '../rest-route.ts';

/** Surfaces of the types of drift. */
export const DRIFT_SURFACES: ['graphql', 'rpc'] = ['graphql', 'rpc'];

/** Declares a drift procedure, which is a GraphQL field as well. */
export const driftProcedure = (
  route: Pick<RestFieldOptions, 'method' | 'path' | 'scope' | 'summary' | 'example' | 'params'>,
) =>
  restField({
    graphql: true,
    mount: 'rpc',
    tag: 'Drift',
    errors: {
      SERVICE_UNAVAILABLE:
        'The ML sidecar is not configured, cannot be reached, times out or returns an invalid response; or the database cannot be reached.',
    },
    ...route,
  });
