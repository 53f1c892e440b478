import type { SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { OutboundClient } from '../../../outbound/outbound-client.ts';
import { type MtlsCredentials, secureContextOf } from '../endpoints/authentication.ts';

/** Endpoints whose clients are kept; beyond it, the least recently used one is closed. Idle connections close by themselves. */
const MAX_CLIENTS = 200;
/** Time for which requests in flight may end after a client was replaced. Longer than any attempt. Milliseconds. */
const REPLACED_GRACE_MS = 60_000;

interface Entry {
  version: string;
  client: OutboundClient;
}

/**
 * Outbound clients with a client certificate, one per endpoint: a connection carries the certificate with which it was
 * opened, so endpoints must not share connections, and neither must the certificates before and after a change.
 */
export function createMtlsClients(create: (clientCertificate: SecureContext) => OutboundClient) {
  const clients = new LRUCache<string, Entry>({
    max: MAX_CLIENTS,
    dispose: ({ client }) => void client.close(REPLACED_GRACE_MS),
  });

  return {
    /** Returns the client of an endpoint; null if OpenSSL does not accept its certificate or key. */
    of({
      key,
      version,
      mtls,
    }: {
      key: string;
      version: string;
      mtls: MtlsCredentials;
    }): OutboundClient | null {
      const known = clients.get(key);
      if (known?.version === version) return known.client;
      try {
        const client = create(secureContextOf(mtls));
        clients.set(key, { version, client });
        return client;
      } catch {
        clients.delete(key);
        return null;
      }
    },

    /** @param graceMs time after which requests in flight are aborted */
    async close(graceMs: number): Promise<void> {
      await Promise.all(Array.from(clients.values(), ({ client }) => client.close(graceMs)));
    },
  };
}

export type MtlsClients = ReturnType<typeof createMtlsClients>;
