import { RETENTION_KINDS, type RetentionKind } from '../privacy/retention-step.ts';
import type { ApiKey, Tenant } from '../tenants/tenants.types.ts';
import type { AuditState } from './audit.types.ts';

/** What the log records of an API key: never the key. */
export const keyState = (key: ApiKey): AuditState => {
  const { prefix, name, scope, customerId, resources, networks, expiresAt, revokedAt } = key;
  return { prefix, name, scope, customerId, resources, networks, expiresAt, revokedAt };
};

/** What the log records of a tenant. */
export const tenantState = ({ customerId, orgId, name, verifyEndpoints = false }: Tenant): AuditState => ({
  customerId,
  orgId,
  name,
  verifyEndpoints,
});

/** What the log records of an erasure: nothing of the person. */
export const erasureState = ({
  suppress,
  deliveries,
}: {
  suppress: boolean;
  deliveries: string;
}): AuditState => ({ suppress, deliveries });

/** What the log records of retention times. */
export const retentionState = (times: Readonly<Record<RetentionKind, number | null>>): AuditState =>
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, times[kind]]));
