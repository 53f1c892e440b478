import { assertObjectType, type GraphQLObjectType } from 'graphql';
import type { Schemas } from '../../../schema/index.ts';
import { defaultResponse } from './error-responses.ts';
import { nonNullSchemaOf } from './json-schemas.ts';
import type { Json, SchemaComponents } from './openapi-types.ts';
import { headerRefs } from './shared-components.ts';

export const PROBES_TAG = 'Operation';

/** The credential of `GET /metrics`, for `components.securitySchemes`. */
export const METRICS_SECURITY_SCHEME: Json = {
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The value of `METRICS_TOKEN`.' },
};

/** Returns the type of the health report, which GraphQL and `GET /api/health` share. */
export const healthType = ({ graphql }: Schemas): GraphQLObjectType =>
  assertObjectType(graphql.getType('Health'));

const HEALTH_EXAMPLE = {
  status: 'ok',
  sidecar: { status: 'up', latencyMs: 3, modelVersion: 'demo-1' },
  database: { status: 'up', latencyMs: 1 },
  jobs: { status: 'up', lastRunAt: '2026-01-31T09:30:00.000Z' },
  outboundProxy: null,
  auditLog: { status: 'up', verifiedAt: '2026-01-31T09:00:00.000Z' },
  encryption: { status: 'up', unreadableAt: null },
  version: '0.1.0',
  uptimeSeconds: 3600,
};

const METRICS_EXAMPLE = `# HELP process_resident_memory_bytes Resident memory size in bytes.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 104857600
`;

/** Builds the paths for monitoring; no schema has them. */
export function probeOperations(
  health: GraphQLObjectType,
  schemas: SchemaComponents,
): Record<string, Record<string, Json>> {
  const report = (description: string, example: Json): Json => ({
    description,
    headers: headerRefs(['X-Request-Id']),
    content: { 'application/json': { schema: nonNullSchemaOf(health, schemas), example } },
  });
  const unreachable = {
    ...HEALTH_EXAMPLE,
    status: 'down',
    database: { status: 'down', latencyMs: null },
    jobs: { status: 'up', lastRunAt: null },
  };
  return {
    '/health': {
      get: {
        operationId: 'getHealth',
        summary: 'Get the health of the service',
        description:
          'Health of the service, its database, its jobs and its sidecar; computed at most once a second per process. Requires no key. Suitable as a readiness probe.',
        tags: [PROBES_TAG],
        security: [],
        parameters: [],
        responses: {
          200: report('The service processes requests; `degraded` if a component is down.', HEALTH_EXAMPLE),
          503: report('The database cannot be reached.', unreachable),
          ...defaultResponse(),
        },
      },
    },
    '/metrics': {
      get: {
        // Not below the base path of the other operations.
        servers: [{ url: '/' }],
        operationId: 'getMetrics',
        summary: 'Get the metrics',
        description:
          'Metrics of this process in the Prometheus text format. Exists with `METRICS=on`. Requires `METRICS_TOKEN` if it is set; without it, the path exists on a loopback `HOST` only, for requests whose `Host` header is a loopback name.',
        tags: [PROBES_TAG],
        security: [{ metricsToken: [] }, {}],
        parameters: [],
        responses: {
          200: {
            description: 'All metrics.',
            headers: headerRefs(['X-Request-Id']),
            content: { 'text/plain': { schema: { type: 'string' }, example: METRICS_EXAMPLE } },
          },
          401: { $ref: '#/components/responses/UNAUTHENTICATED' },
          ...defaultResponse(),
        },
      },
    },
  };
}
