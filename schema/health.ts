import type { Health as HealthShape } from '../src/features/health/health.service.ts';
import { builder } from './builder.ts';

const HealthStatus = builder.enumType('HealthStatus', {
  description: 'Health of the service as a whole.',
  values: {
    ok: { description: 'All components work.' },
    degraded: {
      description:
        'Reads are served, but the database accepts no writes at present, or another component is down.',
    },
    down: { description: 'The database does not respond.' },
  } satisfies Record<HealthShape['status'], object>,
});

const ComponentStatus = builder.enumType('ComponentStatus', {
  description: 'Health of one component.',
  values: {
    up: { description: 'The component works.' },
    down: { description: 'The component does not work.' },
  } satisfies Record<HealthShape['sidecar']['status'], object>,
  // In generated Go clients the constants of all named enumerations are global, and `DOWN` would exist twice.
  extensions: { inOpenApi: 'inline' },
});

const LATENCY = 'Response time of the health probe in milliseconds; null if there was no response.';

const SidecarHealth = builder.objectRef<HealthShape['sidecar']>('SidecarHealth').implement({
  description: 'Health of the ML sidecar.',
  fields: (t) => ({
    status: t.expose('status', { type: ComponentStatus, description: '`up` if the sidecar responds.' }),
    latencyMs: t.exposeFloat('latencyMs', { nullable: true, description: LATENCY }),
    modelVersion: t.exposeString('modelVersion', {
      nullable: true,
      description: 'Version of the scoring model; null if the sidecar does not report one.',
    }),
  }),
});

const DatabaseHealth = builder.objectRef<HealthShape['database']>('DatabaseHealth').implement({
  description: 'Health of the database.',
  fields: (t) => ({
    status: t.expose('status', {
      type: ComponentStatus,
      description:
        '`up` if the database responds and acknowledges writes; `down` with a latency if it only serves reads.',
    }),
    latencyMs: t.exposeFloat('latencyMs', { nullable: true, description: LATENCY }),
  }),
});

const JobsHealth = builder.objectRef<HealthShape['jobs']>('JobsHealth').implement({
  description: 'Health of the recurring jobs.',
  fields: (t) => ({
    status: t.expose('status', { type: ComponentStatus, description: '`up` if jobs run on schedule.' }),
    lastRunAt: t.expose('lastRunAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last run of any job; null before the first one.',
    }),
  }),
});

const OutboundProxyHealth = builder
  .objectRef<NonNullable<HealthShape['outboundProxy']>>('OutboundProxyHealth')
  .implement({
    description: 'Health of the outbound proxy, as the process that responds sees it.',
    fields: (t) => ({
      status: t.expose('status', {
        type: ComponentStatus,
        description: '`down` after a failure in the last minute, until the proxy answers a request.',
      }),
      error: t.exposeString('error', {
        nullable: true,
        description: 'Code of the last failure, which begins with `proxy_`; null if the status is `up`.',
      }),
    }),
  });

const AuditLogHealth = builder.objectRef<HealthShape['auditLog']>('AuditLogHealth').implement({
  description: 'Health of the audit logs.',
  fields: (t) => ({
    status: t.expose('status', {
      type: ComponentStatus,
      description:
        '`down` if the last verification of all logs found an entry that was removed, altered, inserted or reordered, or a log that cannot be verified, which `audit verify` names, or if no verification has ended for three hours.',
    }),
    verifiedAt: t.expose('verifiedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last verification; null before the first one.',
    }),
  }),
});

const EncryptionHealth = builder.objectRef<HealthShape['encryption']>('EncryptionHealth').implement({
  description: 'Health of the encryption of personal data, as the process that responds sees it.',
  fields: (t) => ({
    status: t.expose('status', {
      type: ComponentStatus,
      description:
        '`down` if the process has found a value that it cannot decrypt in the last 15 minutes: it was modified or moved, or the key of its customer is missing.',
    }),
    unreadableAt: t.expose('unreadableAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last time at which the process found such a value; null if it has not.',
    }),
  }),
});

const Health = builder.objectRef<HealthShape>('Health').implement({
  description: 'Health of the service, as returned by `GET /api/health`.',
  fields: (t) => ({
    status: t.expose('status', { type: HealthStatus, description: 'Overall status.' }),
    sidecar: t.expose('sidecar', { type: SidecarHealth, description: 'The ML sidecar.' }),
    database: t.expose('database', { type: DatabaseHealth, description: 'The database.' }),
    jobs: t.expose('jobs', { type: JobsHealth, description: 'The recurring jobs.' }),
    outboundProxy: t.expose('outboundProxy', {
      type: OutboundProxyHealth,
      nullable: true,
      description: 'The proxy of outbound requests; null if `OUTBOUND_PROXY` is not set.',
    }),
    auditLog: t.expose('auditLog', { type: AuditLogHealth, description: 'The audit logs.' }),
    encryption: t.expose('encryption', {
      type: EncryptionHealth,
      description: 'The encryption of personal data.',
    }),
    version: t.exposeString('version', { description: 'Version of the service.' }),
    uptimeSeconds: t.exposeFloat('uptimeSeconds', {
      description: 'Uptime of the process that responds, in seconds.',
    }),
  }),
});

builder.queryField('health', (t) =>
  t.field({
    type: Health,
    description: 'Health of the service and its components.',
    scope: 'read',
    resource: 'account',
    resolve: (_root, _args, { services }) => services.health.check(),
  }),
);
