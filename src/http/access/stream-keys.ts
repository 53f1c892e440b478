import type { AuthenticatedKey, KeyService } from '../../features/tenants/keys.service.ts';
import type { Logger } from '../../platform/logger.ts';

/** Interval at which the keys of open streams are checked (contract 3). */
const CHECK_INTERVAL_MS = 30_000;

interface StreamKeysOptions {
  keys: Pick<KeyService, 'isActive'>;
  log: Logger;
  intervalMs?: number;
}

/** Ends open streams whose API key or session is no longer active, even if the notification of the revocation was lost. */
export interface StreamKeys {
  /**
   * Checks the key or session of a stream regularly and calls `end` once it is not active; returns a function that stops
   * it.
   */
  watch(owner: AuthenticatedKey, end: () => void): () => void;
}

export function createStreamKeys({
  keys,
  log,
  intervalMs = CHECK_INTERVAL_MS,
}: StreamKeysOptions): StreamKeys {
  const streamsById = new Map<string, { owner: AuthenticatedKey; ends: Set<() => void> }>();
  let timer: NodeJS.Timeout | undefined;

  async function check(owner: AuthenticatedKey, ends: ReadonlySet<() => void>): Promise<void> {
    try {
      if (await keys.isActive(owner)) return;
    } catch (error) {
      // Without the database no change reaches the stream either; the next check follows.
      log.warn({ err: error }, 'failed to check the API key of an open stream');
      return;
    }
    for (const end of ends) end();
  }

  const checkAll = () => {
    for (const { owner, ends } of streamsById.values()) void check(owner, ends);
  };

  return {
    watch(owner, end) {
      const { keyId, session, resources, networks } = owner;
      const id = JSON.stringify([session?.id ?? keyId, resources, networks]);
      const streams = streamsById.get(id) ?? { owner, ends: new Set() };
      const { ends } = streams;
      streamsById.set(id, streams);
      ends.add(end);
      timer ??= setInterval(checkAll, intervalMs).unref();
      return () => {
        ends.delete(end);
        if (ends.size === 0 && streamsById.get(id) === streams) streamsById.delete(id);
        if (streamsById.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
