import {
  type EndpointStatistics,
  type LatencyQuantiles,
  REACH_DAYS,
  type STATISTICS_STEPS,
  type StatisticsFigures,
  type StepStatistics,
} from '../../src/features/webhooks/statistics/statistics.types.ts';
import { MAX_COUNT } from '../../src/shared/max-count.ts';
import { MAX_SCHEDULED } from '../../src/shared/scheduled-retries.ts';
import { builder, GRAPHQL_AND_V1 } from '../builder.ts';
import { INT64 } from '../scalars.ts';
import { WebhookEndpoint } from './endpoint.types.ts';
import { STATISTICS_EXAMPLE } from './webhook-rest-examples.ts';
import { endpointRoute } from './webhook-routes.ts';

/** Complexity of a read of up to 721 steps, and of a count. An operation has room for the statistics of a page of endpoints. */
const COST = 250;
/** Complexity of a count with a tenth of the bound, which lists have beside the backlog. */
const SCHEDULED_COST = 25;

const Step = builder.enumType('WebhookStatisticsStep', {
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Length of the time ranges of statistics.',
  values: {
    hour: { description: `An hour. Kept for ${REACH_DAYS.hour} days.` },
    day: { description: `A day of UTC. Kept for ${REACH_DAYS.day} days.` },
  } satisfies Record<(typeof STATISTICS_STEPS)[number], object>,
});

const Latency = builder.objectRef<LatencyQuantiles>('WebhookLatency').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Quantiles of a latency in milliseconds, to within 0.5 %.',
  fields: (t) => ({
    p50: t.exposeInt('p50', { nullable: true, description: 'Median; null without values.' }),
    p95: t.exposeInt('p95', { nullable: true, description: '95th percentile; null without values.' }),
    p99: t.exposeInt('p99', { nullable: true, description: '99th percentile; null without values.' }),
  }),
});

type FiguresFieldBuilder<Shape extends StatisticsFigures> = PothosSchemaTypes.ObjectFieldBuilder<
  typeof builder.$inferSchemaTypes,
  Shape
>;

/** Fields of the figures of a step and of the whole time range. */
function figuresFields<Shape extends StatisticsFigures>(t: FiguresFieldBuilder<Shape>) {
  const count = (read: (figures: Shape) => number, description: string) =>
    t.float({ description, extensions: INT64, resolve: read });
  const quantile = (read: (figures: Shape) => number | null, name: string) =>
    t.int({
      nullable: true,
      description: `${name} of the duration of an attempt in milliseconds, to within 0.5 %; null without attempts.`,
      resolve: read,
    });
  const time = (read: (figures: Shape) => Date | null, what: string) =>
    t.field({
      type: 'DateTime',
      nullable: true,
      description: `Begin of the last attempt that ${what}; null if there is none.`,
      resolve: read,
    });
  return {
    succeeded: count(
      ({ succeeded }) => succeeded,
      'Number of deliveries that an attempt made `succeeded`; one that is sent again counts again.',
    ),
    failed: count(({ failed }) => failed, 'Number of deliveries that an attempt made `failed`.'),
    attempts: count(({ attempts }) => attempts, 'Number of attempts, resends included.'),
    failedAttempts: count(({ failedAttempts }) => failedAttempts, 'Number of attempts without a 2xx.'),
    successRate: t.float({
      nullable: true,
      description: '`succeeded` as a share of `succeeded` and `failed`, from 0 to 1; null if both are 0.',
      resolve: ({ successRate }) => successRate,
    }),
    p50: quantile(({ p50 }) => p50, 'Median'),
    p95: quantile(({ p95 }) => p95, '95th percentile'),
    p99: quantile(({ p99 }) => p99, '99th percentile'),
    acceptanceToArrival: t.field({
      type: Latency,
      description:
        'Time from the acceptance of an event to the end of the attempt that delivered it, earlier attempts included. Resends do not count, nor does a recovery or replay that succeeds within two attempts.',
      resolve: ({ acceptanceToArrival }) => acceptanceToArrival,
    }),
    lastSuccessAt: time(({ lastSuccessAt }) => lastSuccessAt, 'got a 2xx'),
    lastFailureAt: time(({ lastFailureAt }) => lastFailureAt, 'failed'),
  };
}

const StepFigures = builder.objectRef<StepStatistics>('WebhookStepStatistics').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description: 'Results of the attempts to an endpoint that began in one hour or day.',
  fields: (t) => ({
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'Start of the step.' }),
    ...figuresFields(t),
  }),
});

const Statistics = builder.objectRef<EndpointStatistics>('WebhookStatistics').implement({
  subGraphs: [...GRAPHQL_AND_V1],
  description:
    'Results of the attempts to an endpoint that began in a time range, in total and by step. An attempt is part of it at most some seconds after its end.',
  fields: (t) => ({
    since: t.expose('since', {
      type: 'DateTime',
      description: 'Start of the time range: the start of the step that the argument is in.',
    }),
    until: t.expose('until', {
      type: 'DateTime',
      description: 'End of the time range; the last step is complete nevertheless.',
    }),
    step: t.expose('step', { type: Step, description: 'Length of the steps.' }),
    ...figuresFields(t),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the first failed attempt since the last success, to within some seconds; null if none has failed.',
    }),
    steps: t.expose('steps', {
      type: [StepFigures],
      description: 'Every step of the time range, oldest first, those without attempts included.',
    }),
  }),
});

const rangeDescription = `Start of the time range, at most ${REACH_DAYS.hour} days ago with steps of an hour, ${REACH_DAYS.day} days ago with steps of a day; default: a day before its end, or 30 days with steps of a day.`;

const BACKLOG = `Number of deliveries to it that are due and wait for their attempt, for a slot, a permit of its rate limit or the end of a pause; counted up to ${MAX_COUNT.toLocaleString('en')}. Retries that are due later (\`scheduledRetries\`) and attempts in progress do not count.`;
const SCHEDULED_RETRIES = `Number of deliveries to it with a failed attempt whose next one is due later; counted up to ${MAX_SCHEDULED.toLocaleString('en')}.`;
const OLDEST_WAITING = 'Time at which the oldest delivery of the backlog became due; null if there is none.';

// Over REST, which has no optional fields, an endpoint in a list would cost two reads.
builder.objectFields(Statistics, (t) => ({
  backlog: t.int({
    subGraphs: ['v1'],
    description: BACKLOG,
    complexity: COST,
    resolve: ({ endpointId }, _args, { tenant, services }) =>
      services.webhookStatistics.backlog(tenant(), endpointId),
  }),
  scheduledRetries: t.int({
    subGraphs: ['v1'],
    description: SCHEDULED_RETRIES,
    complexity: SCHEDULED_COST,
    resolve: ({ endpointId }, _args, { tenant, services }) =>
      services.webhookStatistics.scheduledRetries(tenant(), endpointId),
  }),
  oldestWaitingAt: t.field({
    subGraphs: ['v1'],
    type: 'DateTime',
    nullable: true,
    description: OLDEST_WAITING,
    complexity: 1,
    resolve: ({ endpointId }, _args, { tenant, services }) =>
      services.webhookStatistics.oldestWaitingAt(tenant(), endpointId),
  }),
}));

builder.objectFields(WebhookEndpoint, (t) => ({
  backlog: t.int({
    subGraphs: ['graphql'],
    description: BACKLOG,
    complexity: COST,
    resolve: ({ id }, _args, { tenant, services }) => services.webhookStatistics.backlog(tenant(), id),
  }),
  scheduledRetries: t.int({
    subGraphs: ['graphql'],
    description: SCHEDULED_RETRIES,
    complexity: SCHEDULED_COST,
    resolve: ({ id }, _args, { tenant, services }) =>
      services.webhookStatistics.scheduledRetries(tenant(), id),
  }),
  oldestWaitingAt: t.field({
    subGraphs: ['graphql'],
    type: 'DateTime',
    nullable: true,
    description: OLDEST_WAITING,
    complexity: 1,
    resolve: ({ id }, _args, { tenant, services }) =>
      services.webhookStatistics.oldestWaitingAt(tenant(), id),
  }),
  statistics: t.field({
    subGraphs: ['graphql'],
    type: Statistics,
    description: 'Results of its attempts, in total and by hour or day.',
    complexity: COST,
    args: {
      since: t.arg({ type: 'DateTime', description: rangeDescription }),
      until: t.arg({ type: 'DateTime', description: 'End of the time range; default: now.' }),
      step: t.arg({ type: Step, defaultValue: 'hour', description: 'Length of the steps.' }),
    },
    resolve: ({ id }, range, { tenant, services }) => services.webhookStatistics.of(tenant(), id, range),
  }),
}));

builder.queryField('getWebhookEndpointStatistics', (t) =>
  t.field({
    ...endpointRoute({
      method: 'GET',
      path: '/:endpointId/statistics',
      scope: 'read',
      resource: 'webhooks',
      summary: 'Get the statistics of a webhook endpoint',
      example: { query: { step: 'day' }, response: STATISTICS_EXAMPLE },
    }),
    type: Statistics,
    description: 'Results of the attempts to an endpoint, in total and by hour or day.',
    args: {
      endpointId: t.arg.int({ required: true, description: 'ID of the endpoint.' }),
      since: t.arg({ type: 'DateTime', description: rangeDescription }),
      until: t.arg({ type: 'DateTime', description: 'End of the time range; default: now.' }),
      step: t.arg({ type: Step, defaultValue: 'hour', description: 'Length of the steps.' }),
    },
    resolve: (_root, { endpointId, ...range }, { tenant, services }) =>
      services.webhookStatistics.of(tenant(), endpointId, range),
  }),
);
