import type { AuditState, AuditTarget } from '../features/audit/audit.types.ts';
import { operatorActor } from '../features/audit/audit-actor.ts';
import { changesBetween } from '../features/audit/audited-states.ts';
import type { Services } from '../features/services.ts';

interface OperatorAct<T> {
  /** Customer whose log records the act; null for the log of the service. */
  customerId: number | null;
  /** Name of the operation, as the APIs name it. */
  action: string;
  target: AuditTarget;
  /** Returns the identifier of a target that the act creates. */
  createdId?(result: T): string | number;
  /** State before a change, of which only the members that it changes are recorded. */
  before?: AuditState;
  describe(result: T): AuditState | null;
  /** Returns what an act that fails has changed before; null for nothing. */
  soFar?(): AuditState | null;
}

/** Makes a change of the operator as an act of the audit log, under the name of the operator's account. */
export const performed = <T>(
  { audit }: Pick<Services, 'audit'>,
  { customerId, action, target, createdId, before, describe, soFar }: OperatorAct<NoInfer<T>>,
  make: () => Promise<T>,
): Promise<T> =>
  audit.perform(
    {
      customerId,
      action,
      actor: operatorActor(),
      clientAddress: null,
      requestId: null,
      target,
    },
    make,
    (result) => ({
      target: createdId ? { ...target, id: String(createdId(result)) } : target,
      ...changesBetween(before ?? null, describe(result)),
    }),
    () => {
      const after = soFar?.() ?? null;
      return after && { target, before: null, after };
    },
  );
