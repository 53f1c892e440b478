import type { ApiKey, Tenant } from '../tenants/tenants.types.ts';
import type { AuditState } from './audit.types.ts';

/** What the log records of an API key: never the key. */
export const keyState = ({ prefix, scope, customerId, expiresAt, revokedAt }: ApiKey): AuditState => ({
  prefix,
  scope,
  customerId,
  expiresAt,
  revokedAt,
});

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
