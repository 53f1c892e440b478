import type { Health as HealthShape } from '../src/features/health/health.service.ts';
import { builder } from './builder.ts';

const HealthStatus = builder.enumType('HealthStatus', {
  description: 'How the service as a whole is.',
  values: {
    ok: { description: 'Everything works.' },
    degraded: { description: 'It serves, but a part that it can do without for a while does not work.' },
    down: { description: 'The database cannot be reached.' },
  } satisfies Record<HealthShape['status'], object>,
});

const ComponentStatus = builder.enumType('ComponentStatus', {
  description: 'How one part of the service is.',
  values: {
    up: { description: 'It works.' },
    down: { description: 'It does not work.' },
  } satisfies Record<HealthShape['sidecar']['status'], object>,
});

const SidecarHealth = builder.objectRef<HealthShape['sidecar']>('SidecarHealth').implement({
  description: 'How the ML sidecar is.',
  fields: (t) => ({
    status: t.expose('status', { type: ComponentStatus, description: 'Whether it answers.' }),
    latencyMs: t.exposeFloat('latencyMs', {
      nullable: true,
      description: 'How long it took to answer, in milliseconds.',
    }),
    modelVersion: t.exposeString('modelVersion', {
      nullable: true,
      description: 'Version of the scoring model.',
    }),
  }),
});

const DatabaseHealth = builder.objectRef<HealthShape['database']>('DatabaseHealth').implement({
  description: 'How the database is.',
  fields: (t) => ({
    status: t.expose('status', { type: ComponentStatus, description: 'Whether it answers.' }),
    latencyMs: t.exposeFloat('latencyMs', {
      nullable: true,
      description: 'How long it took to answer, in milliseconds.',
    }),
  }),
});

const JobsHealth = builder.objectRef<HealthShape['jobs']>('JobsHealth').implement({
  description: 'How recurring jobs are.',
  fields: (t) => ({
    status: t.expose('status', { type: ComponentStatus, description: 'Whether they run.' }),
    lastRunAt: t.expose('lastRunAt', { type: 'DateTime', nullable: true, description: 'When one last ran.' }),
  }),
});

const Health = builder.objectRef<HealthShape>('Health').implement({
  description: 'How the service is; the same as `GET /api/health`.',
  fields: (t) => ({
    status: t.expose('status', { type: HealthStatus, description: 'All in all.' }),
    sidecar: t.expose('sidecar', { type: SidecarHealth, description: 'The ML sidecar.' }),
    database: t.expose('database', { type: DatabaseHealth, description: 'The database.' }),
    jobs: t.expose('jobs', { type: JobsHealth, description: 'Recurring jobs.' }),
    version: t.exposeString('version', { description: 'Version of the service.' }),
    uptimeSeconds: t.exposeFloat('uptimeSeconds', {
      description: 'How long this process has been running, in seconds.',
    }),
  }),
});

builder.queryField('health', (t) =>
  t.field({
    type: Health,
    description: 'How the service is.',
    authScopes: { read: true },
    resolve: (_root, _args, { services }) => services.health.check(),
  }),
);
