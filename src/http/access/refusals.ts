import type { AuditTarget } from '../../features/audit/audit.types.ts';
import { actorOf } from '../../features/audit/audit-actor.ts';
import type { Services } from '../../features/services.ts';
import type { Principal } from '../../features/tenants/tenants.types.ts';

interface Refusal {
  principal: Principal;
  clientAddress: string | null;
  /** Name of the operation. */
  action: string;
  /** What the caller lacks. */
  target: AuditTarget;
}

/** Counts a request with a valid API key that was refused, in the audit log of the key's customer. */
export function countRefusal(
  audit: Pick<Services['audit'], 'countRefusal'>,
  { principal, clientAddress, action, target }: Refusal,
): void {
  audit.countRefusal({
    customerId: principal.tenant?.customerId ?? null,
    action,
    actor: actorOf(principal),
    clientAddress,
    requestId: null,
    target,
  });
}
