import type { KeyCreator, Principal } from '../tenants/tenants.types.ts';

/** Returns the sender of a request as the audit log names it. */
export const actorOf = ({ session, keyId, keyName, keyPrefix }: Principal): KeyCreator => ({
  type: session ? 'session' : 'key',
  id: keyId,
  name: keyName,
  prefix: keyPrefix,
});
