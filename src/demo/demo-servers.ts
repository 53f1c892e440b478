import type { Config } from '../config/config.ts';
import type { Services } from '../features/services.ts';
import type { Tenant } from '../features/tenants/tenants.types.ts';
import type { Logger } from '../platform/logger.ts';
import { startDemoReceiver } from './demo-receiver.ts';
import { DEMO_PROVIDER_KEY, startDemoProvider } from './provider/provider-server.ts';

/** Addresses of the demo servers; null for a server that the configuration excludes. */
export interface DemoAddresses {
  /** Replaces `RECORDER_API_URL`. */
  recorderApiUrl: string | null;
  receiverUrl: string | null;
}

export interface DemoServers {
  addresses: DemoAddresses;
  stop(): void;
}

const PROVIDER = {
  port: 0,
  api: 'standard',
  pagination: 'next',
  payload: 'meetings',
  meetings: 120,
  delayMs: 0,
  perMinute: 60,
  onResponse() {},
  webhook: null,
  onWebhook() {},
} as const;

/**
 * Starts the servers that the demo customer uses in embedded mode: a meeting provider if none is configured, and a webhook
 * receiver if webhooks may have private targets.
 */
export async function startDemoServers(
  config: Pick<Config, 'recorderApiUrl' | 'recorderProvider' | 'webhookAllowPrivateTargets'>,
): Promise<DemoServers> {
  const needsProvider = config.recorderApiUrl === null && config.recorderProvider === 'standard';
  const provider = needsProvider ? await startDemoProvider(PROVIDER) : null;
  const receiver = config.webhookAllowPrivateTargets ? await startDemoReceiver() : null;
  return {
    addresses: { recorderApiUrl: provider?.url ?? null, receiverUrl: receiver?.url ?? null },
    stop() {
      provider?.stop();
      receiver?.stop();
    },
  };
}

/** Connects the demo customer to the demo provider and starts the first sync. */
export async function connectDemoProvider(
  { providerConnection, syncs }: Pick<Services, 'providerConnection' | 'syncs'>,
  tenant: Tenant,
  log: Logger,
): Promise<void> {
  try {
    await providerConnection.connect(tenant, DEMO_PROVIDER_KEY);
    await syncs.start(tenant);
  } catch (error) {
    // The service is usable without meetings; the customer can connect the provider in the console.
    log.warn({ err: error }, 'failed to connect the demo provider');
  }
}
