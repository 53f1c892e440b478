import { RETENTION_KINDS, type RetentionKind } from '../privacy/retention-step.ts';
import type { ApiKey, Tenant } from '../tenants/tenants.types.ts';
import type { AuditChange, AuditState } from './audit.types.ts';

/** State of an API key in the audit log, without the key. */
export const keyState = (key: ApiKey): AuditState => {
  const { prefix, name, scope, customerId, resources, networks, expiresAt, revokedAt } = key;
  return { prefix, name, scope, customerId, resources, networks, expiresAt, revokedAt };
};

/** State of a tenant in the audit log. */
export const tenantState = ({ customerId, orgId, name, verifyEndpoints = false }: Tenant): AuditState => ({
  customerId,
  orgId,
  name,
  verifyEndpoints,
});

/** State of a suspension in the audit log. @param suspendedAt null for a tenant that is not suspended */
export const suspensionState = (suspendedAt: Date | null): AuditState => ({
  suspended: suspendedAt !== null,
});

/** State of an erasure in the audit log, without anything of the person. */
export const erasureState = ({
  suppress,
  deliveries,
}: {
  suppress: boolean;
  deliveries: string;
}): AuditState => ({ suppress, deliveries });

/** State of the erasure of a list of people in the audit log. */
export const erasuresState = (
  { suppress, deliveries }: { suppress?: boolean | null; deliveries?: string | null },
  erasureIds: readonly string[],
): AuditState => ({
  ...erasureState({ suppress: suppress ?? true, deliveries: deliveries ?? 'cancel' }),
  erasures: new Set(erasureIds).size,
  firstErasureId: erasureIds[0] ?? null,
});

/** State of the deletion of a tenant in the audit log. */
export const deletionState = ({ id, deliveries }: { id: string; deliveries: string }): AuditState => ({
  deletionId: id,
  deliveries,
});

/** State of a deleted conversation in the audit log. */
export const deletedConversationState = (): AuditState => ({ deleted: true });

/** State of a deleted meeting in the audit log. */
export const deletedMeetingState = ({ suppressionId }: { suppressionId: string | null }): AuditState => ({
  deleted: true,
  suppressionId,
});

/** State of retention times in the audit log. */
export const retentionState = (times: Readonly<Record<RetentionKind, number | null>>): AuditState =>
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, times[kind]]));

/** Returns the members of each state that the other does not have alike. */
export function changesBetween(before: object | null, after: object | null): AuditChange {
  if (!before || !after) return { before: before as AuditState | null, after: after as AuditState | null };
  const differs = (name: string) =>
    JSON.stringify((before as AuditState)[name]) !== JSON.stringify((after as AuditState)[name]);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(differs);
  const pick = (state: object) =>
    Object.fromEntries(names.map((name) => [name, (state as AuditState)[name]]));
  return { before: pick(before), after: pick(after) };
}
