import { isUnconfirmed } from '../../platform/mongo/unavailable.ts';
import type { Principal } from '../tenants/tenants.types.ts';
import type { AuditIntentDoc } from './audit.model.ts';
import type { AuditAct, AuditTarget } from './audit.types.ts';
import { ANONYMOUS_ACTOR, actorOf } from './audit-actor.ts';

/** Callers that are counted apart between two flushes; the rest are counted together, without a name. */
const MAX_CALLERS = 1_000;

interface Refusal {
  act: AuditAct;
  count: number;
}

const OTHERS = {
  customerId: null,
  actor: ANONYMOUS_ACTOR,
  clientAddress: null,
} as const;

const keyOf = ({ customerId, action, actor, clientAddress }: AuditAct): string =>
  JSON.stringify([customerId, action, actor.id, clientAddress]);

interface Deps {
  /** Returns an act with the id of its entry. */
  newAct: (act: AuditAct) => AuditIntentDoc;
  /** Records the entry of an act unless it exists. */
  record: (act: AuditIntentDoc, count: number) => Promise<void>;
}

/** Counts refused requests by caller, so that an attack adds no more than one entry per caller and flush. */
export function createRefusals({ newAct, record }: Deps) {
  let refusals = new Map<string, Refusal>();
  /** Their entries may exist: they keep their ids and counts until that is known. */
  const unconfirmed = new Map<AuditIntentDoc, number>();

  function add({ act, count }: Refusal): void {
    const isFull = refusals.size >= MAX_CALLERS && !refusals.has(keyOf(act));
    const counted = isFull ? { ...act, ...OTHERS } : act;
    const key = keyOf(counted);
    refusals.set(key, { act: counted, count: (refusals.get(key)?.count ?? 0) + count });
  }

  return {
    /** Counts a refused request. */
    add: (act: AuditAct): void => add({ act, count: 1 }),
    /** Records the counts; those that cannot be recorded are kept. */
    async flush(): Promise<void> {
      const taken = [...refusals.values()];
      refusals = new Map();
      for (const [act, count] of [...unconfirmed])
        await record(act, count).then(
          () => unconfirmed.delete(act),
          () => {},
        );
      for (const { act, count } of taken) {
        const intent = newAct(act);
        await record(intent, count).catch((error: unknown) =>
          isUnconfirmed(error) ? unconfirmed.set(intent, count) : add({ act, count }),
        );
      }
    },
  };
}

interface RefusedCall {
  principal: Principal;
  clientAddress: string | null;
  /** Name of the operation. */
  action: string;
  /** What the caller lacks. */
  target: AuditTarget;
}

/** Counts a request with a valid API key that was refused, in the audit log of the key's customer. */
export function countRefusal(
  audit: { countRefusal(act: AuditAct): void },
  { principal, clientAddress, action, target }: RefusedCall,
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
