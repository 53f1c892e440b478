import { accountName } from '../../platform/account-name.ts';
import type { KeyCreator, Principal } from '../tenants/tenants.types.ts';
import type { AuditActor } from './audit.types.ts';

const NO_KEY = { name: null, prefix: null };

/** A caller without a valid key. */
export const ANONYMOUS_ACTOR: AuditActor = { type: 'anonymous', id: null, ...NO_KEY };

/** Returns the sender of a request as the audit log names it. */
export const actorOf = ({ session, keyId, keyName, keyPrefix }: Principal): KeyCreator => ({
  type: session ? 'session' : 'key',
  id: keyId,
  name: keyName,
  prefix: keyPrefix,
});

/** Returns the operator's account as the audit log names it. */
export const operatorActor = (): KeyCreator => ({ type: 'cli', id: accountName(), ...NO_KEY });

export const jobActor = (job: string): AuditActor => ({ type: 'job', id: job, ...NO_KEY });
