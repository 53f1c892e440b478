import { hash } from 'node:crypto';
import { cached } from '../../../platform/cached.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { EndpointStore } from './endpoint.store.ts';

/** A public key that verifies deliveries. */
interface PublicKey {
  /** The first 16 hexadecimal digits of the key's SHA-256. */
  id: string;
  /** `whpk_…` */
  publicKey: string;
}

/** Maximum number of endpoints whose keys are listed, the newest ones: about 1 MB of JSON. */
const MAX_LISTED = 10_000;
/** How long a process repeats its list. Milliseconds. */
const MAX_AGE_MS = 1_000;

const idOf = (publicKey: string): string => hash('sha256', publicKey).slice(0, 16);

/**
 * Returns the public keys that sign deliveries, of all tenants, by id. An id is a hash, so that neither it nor the order
 * says which endpoint or customer a key belongs to, or when it was made.
 */
export const createPublicKeys = ({
  endpoints,
  clock,
}: {
  endpoints: Pick<EndpointStore, 'withPublicKeys'>;
  clock: Clock;
}) => ({
  list: cached(async (): Promise<PublicKey[]> => {
    const now = clock.now();
    return (await endpoints.withPublicKeys(MAX_LISTED))
      .flatMap(({ publicKey, previous }) => [
        publicKey,
        previous && now < previous.until ? previous.publicKey : null,
      ])
      .filter((publicKey) => publicKey != null)
      .map((publicKey) => ({ id: idOf(publicKey), publicKey }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }, MAX_AGE_MS),
});

export type PublicKeys = ReturnType<typeof createPublicKeys>;
