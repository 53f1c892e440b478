import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RateWindows } from '../../../limits/rate-windows.ts';
import type { Clock } from '../../../platform/clock.ts';
import { parseJson } from '../../../platform/http/parse-json-body.ts';
import type { Runner } from '../../../platform/leases/queue-runner.ts';
import { verifyStandardWebhook } from '../../../platform/standard-webhooks.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { ConnectionStore } from '../connection/connection.store.ts';
import { notConfiguredError, notConnectedError } from '../connection/connection-errors.ts';
import type { TenantCipher } from '../connection/connection-secrets.ts';
import type { RecorderWebhook } from '../meetings.types.ts';
import type { Provider } from '../provider/provider.types.ts';
import type { NoticeDoc } from './notice.model.ts';
import type { NoticeStore } from './notice.store.ts';

/** Path of all connections' webhooks, followed by the token of one connection. */
export const RECORDER_HOOK_PATH = '/hooks/recorder/';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const newHookToken = (): string => randomBytes(32).toString('base64url');

const toWebhook = ({ hookToken, encryptedHookSecret }: ConnectionDoc): RecorderWebhook => ({
  path: hookToken === undefined ? null : `${RECORDER_HOOK_PATH}${hookToken}`,
  hasSecret: encryptedHookSecret !== undefined,
});

interface Deps {
  /** Null when `RECORDER_API_URL` is unset. */
  provider: Pick<Provider, 'noticeOf'> | null;
  connections: ConnectionStore;
  notices: NoticeStore;
  secrets: TenantCipher;
  /** Null if this process fetches no meetings. */
  runner: Pick<Runner, 'claim'> | null;
  windows: RateWindows;
  clock: Clock;
}

/** Receives the webhooks of providers, each for one connection. */
export function providerWebhookService(deps: Deps) {
  const { provider, connections, notices, secrets, runner, windows, clock } = deps;

  async function changed(tenant: Tenant, changes: Parameters<ConnectionStore['setHook']>[1]) {
    if (!provider) throw notConfiguredError();
    const connection = await connections.setHook(tenant, changes);
    if (!connection) throw notConnectedError();
    return toWebhook(connection);
  }

  return {
    /** Returns null when the tenant is not connected. @throws AppError `NOT_CONFIGURED` */
    async find(tenant: Tenant): Promise<RecorderWebhook | null> {
      if (!provider) throw notConfiguredError();
      const connection = await connections.find(tenant);
      return connection && toWebhook(connection);
    },

    /** Replaces the token, so that the previous address is refused. @throws AppError `NOT_CONFIGURED` */
    rotate: (tenant: Tenant): Promise<RecorderWebhook> => changed(tenant, { hookToken: newHookToken() }),

    /** Stores the provider's signing secret; null removes it. @throws AppError `NOT_CONFIGURED` */
    setSecret: (tenant: Tenant, secret: string | null): Promise<RecorderWebhook> =>
      changed(tenant, { encryptedHookSecret: secret === null ? null : secrets.encrypt(tenant, secret) }),

    /** Returns the connection of a token; null if there is none. If throttled, the look-up of an unknown token waits. */
    connectionOf: async (token: string, options: { throttled: boolean }): Promise<ConnectionDoc | null> =>
      provider && TOKEN.test(token) ? connections.findByHookToken(token, options) : null,

    /**
     * Stores a webhook's notice, whose meeting is then fetched in the background. A repeated webhook changes nothing. A
     * webhook that names no meeting is accepted and ignored.
     *
     * @returns false if the signature is not valid
     * @throws AppError `RATE_LIMITED`; `BAD_REQUEST` for a signed body that is not JSON
     */
    async receive(
      { _id: customerId, encryptedHookSecret }: ConnectionDoc,
      { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
    ): Promise<boolean> {
      const tenant = { customerId };
      const webhookId = verifyStandardWebhook({
        secret: encryptedHookSecret === undefined ? null : secrets.decrypt(tenant, encryptedHookSecret),
        headers,
        body: body.toString(),
        now: clock.now(),
      });
      if (webhookId === null) return false;
      // Counts valid webhooks only, so that a caller without the secret cannot use up the limit.
      await windows.count('providerWebhooks', customerId);
      const notice = provider?.noticeOf(parseJson(body)) ?? null;
      if (!notice) return true;
      const inserted: NoticeDoc | null = await notices.insert(tenant, hash('sha256', webhookId), notice);
      if (inserted) await runner?.claim(inserted._id);
      return true;
    },
  };
}

export type ProviderWebhookService = ReturnType<typeof providerWebhookService>;
