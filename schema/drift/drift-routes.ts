import { type RestFieldOptions, restField } from '../rest-route.ts';

/** Surfaces of the types of drift. */
export const DRIFT_SURFACES: ['graphql', 'rpc'] = ['graphql', 'rpc'];

type Procedure = Pick<
  RestFieldOptions,
  'method' | 'path' | 'large' | 'scope' | 'resource' | 'summary' | 'example' | 'errors'
>;

/** Declares a procedure about alerts, which the service itself stores. It is a GraphQL field as well. */
export const alertProcedure = (route: Procedure) =>
  restField({ graphql: true, mount: 'rpc', tag: 'Drift', ...route });

/** Declares a procedure that calls the sidecar. It is a GraphQL field as well. */
export const driftProcedure = (route: Procedure) =>
  alertProcedure({
    errors: {
      SERVICE_UNAVAILABLE:
        'The ML sidecar is not configured, cannot be reached, times out or returns an invalid response; or the database cannot be reached.',
    },
    ...route,
  });
