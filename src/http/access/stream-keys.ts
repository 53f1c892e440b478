import type { KeyService } from '../../features/tenants/keys.service.ts';
import type { Logger } from '../../platform/logger.ts';

/** Interval at which the keys of open streams are checked (contract 3). */
const CHECK_INTERVAL_MS = 30_000;

interface StreamKeysOptions {
  keys: Pick<KeyService, 'isActive'>;
  log: Logger;
  intervalMs?: number;
}

/** Ends open streams whose API key is no longer active, even if the notification of the revocation was lost. */
export interface StreamKeys {
  /** Checks the key of a stream regularly and calls `end` once it is not active; returns a function that stops it. */
  watch(keyId: string, end: () => void): () => void;
}

export function createStreamKeys({
  keys,
  log,
  intervalMs = CHECK_INTERVAL_MS,
}: StreamKeysOptions): StreamKeys {
  const endsByKey = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  async function check(keyId: string, ends: ReadonlySet<() => void>): Promise<void> {
    try {
      if (await keys.isActive(keyId)) return;
    } catch (error) {
      // Without the database no change reaches the stream either; the next check follows.
      log.warn({ err: error }, 'failed to check the API key of an open stream');
      return;
    }
    for (const end of ends) end();
  }

  const checkAll = () => {
    for (const [keyId, ends] of endsByKey) void check(keyId, ends);
  };

  return {
    watch(keyId, end) {
      const ends = endsByKey.get(keyId) ?? new Set();
      endsByKey.set(keyId, ends.add(end));
      timer ??= setInterval(checkAll, intervalMs).unref();
      return () => {
        ends.delete(end);
        if (ends.size === 0 && endsByKey.get(keyId) === ends) endsByKey.delete(keyId);
        if (endsByKey.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
