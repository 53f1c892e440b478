import { Counter, type Registry } from 'prom-client';

/** Registers the metrics of the limits per tenant, summed over all tenants. */
export function limitMetrics(registers: Registry[], resources: readonly string[]) {
  const refusals = new Counter({
    name: 'engagement_tenant_limit_refusals_total',
    help: 'Operations of this process that would have exceeded a limit of their customer, by what is limited.',
    labelNames: ['resource'],
    registers,
  });
  for (const resource of resources) refusals.inc({ resource }, 0);
  return { onTenantLimitRefusal: (resource: string): void => refusals.inc({ resource }) };
}
