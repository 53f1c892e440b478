import type { Clock } from '../../../platform/clock.ts';
import { exponentialDelayMs } from '../../../platform/exponential-delay.ts';
import { type HeldLease, holdLease } from '../../../platform/leases/lease.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { ConnectionStore } from '../connection/connection.store.ts';
import { failureOf } from '../connection/connection-errors.ts';
import type { TenantCipher } from '../connection/connection-secrets.ts';
import type { Provider } from '../provider/provider.types.ts';
import type { MeetingWriter } from '../stored-meetings/meeting-writer.ts';
import type { MeetingStore } from '../stored-meetings/meetings.store.ts';
import { contentExpectedSince } from '../sync/sync-planning.ts';
import type { ClaimedNotice } from './notice.model.ts';
import { NOTICE_LEASE_TTL_MS, type NoticeStore } from './notice.store.ts';

/** Attempts per notice, over about four hours. A later sync fetches the meeting in any case. */
const MAX_ATTEMPTS = 8;
const BACKOFF = { firstMs: 60_000, maxMs: 60 * 60_000 };

interface Deps {
  provider: Provider;
  connections: ConnectionStore;
  writeMeetings: MeetingWriter;
  meetings: MeetingStore;
  notices: NoticeStore;
  providerKeyCipher: TenantCipher;
  clock: Clock;
  log: Logger;
}

/** Fetches and stores the meeting of a claimed notice, while this process holds its lease. */
export function createNoticeProcessing(deps: Deps) {
  const { provider, connections, writeMeetings, meetings, notices, providerKeyCipher, clock, log } = deps;

  /** Returns false if the lease expired before the meeting was fetched. */
  async function apply(
    notice: ClaimedNotice,
    encryptedApiKey: string,
    { lease, stop }: { lease: HeldLease; stop: AbortSignal },
  ): Promise<boolean> {
    const { customerId, meetingId, type } = notice;
    const tenant = { customerId };
    if (type === 'deleted') {
      await meetings.markReportedDeleted(tenant, [notice]);
      return true;
    }
    const apiKey = providerKeyCipher.decrypt(tenant, encryptedApiKey);
    const stored = notice.createdAt ? null : await meetings.find(tenant, meetingId);
    const createdAt = notice.createdAt ?? stored?.createdAt ?? contentExpectedSince(clock.now());
    let readAt = clock.now();
    const onRequest = () => {
      readAt = clock.now();
    };
    const signal = AbortSignal.any([stop, lease.lost]);
    const meeting = await provider.meeting(apiKey, { id: meetingId, createdAt }, { signal, onRequest });
    // Otherwise another process may have fetched the meeting since: see `writeOrderOf`.
    if (!lease.isHeld()) return false;
    if (!meeting) {
      log.info(
        { customerId, notice: notice._id.toHexString(), type },
        'the provider does not list the meeting',
      );
      return true;
    }
    const { refusal } = await writeMeetings(tenant, [meeting], {
      id: `notice:${notice._id.toHexString()}`,
      readAt,
    });
    if (refusal) throw refusal;
    return true;
  }

  /**
   * @param stop aborts when this process must stop working on the notice
   * @throws errors that are not the provider's, and a `cancelled` provider error
   */
  return async (notice: ClaimedNotice, stop: AbortSignal): Promise<void> => {
    const { _id: id, customerId, attempts } = notice;
    const tenant = { customerId };
    const claim = { id, token: notice.lease.token };
    if (attempts > MAX_ATTEMPTS) {
      log.warn(
        { customerId, notice: id.toHexString(), attempts },
        'failed to fetch a meeting: every attempt ended with its process or outlasted its lease',
      );
      await notices.finish(tenant, claim, 'failed');
      return;
    }
    using lease = holdLease({
      ttlMs: NOTICE_LEASE_TTL_MS,
      renew: () => notices.renew(tenant, claim),
      onError: (error) =>
        log.warn({ err: error, notice: id.toHexString() }, 'failed to renew the lease of a recorder notice'),
    });
    try {
      const connection = await connections.find(tenant);
      const isApplied = !connection || (await apply(notice, connection.encryptedApiKey, { lease, stop }));
      // Matches nothing if another process has claimed the notice.
      if (isApplied) await notices.finish(tenant, claim, 'done');
    } catch (error) {
      if (lease.lost.aborted && !stop.aborted) return;
      const failed = failureOf(error);
      if (!failed && attempts < MAX_ATTEMPTS) throw error;
      const { code } = failed?.failure ?? { code: 'INTERNAL' };
      log.warn({ customerId, notice: id.toHexString(), attempts, error: code }, 'failed to fetch a meeting');
      if (attempts >= MAX_ATTEMPTS || failed?.status === 'key_invalid') {
        await notices.finish(tenant, claim, 'failed');
        return;
      }
      const backoff = clock.now().getTime() + exponentialDelayMs(BACKOFF, attempts - 1);
      await notices.release(tenant, claim, new Date(Math.max(backoff, failed?.retryAfter?.getTime() ?? 0)));
    }
  };
}
