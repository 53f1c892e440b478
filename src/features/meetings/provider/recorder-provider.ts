import type { Config } from '../../../config/config.ts';
import type { Models } from '../../../database/models.ts';
import { createOutboundClient, type OutboundClient } from '../../../outbound/outbound-client.ts';
import type { Wait } from '../../../platform/abortable-wait.ts';
import type { Cipher } from '../../../platform/cipher.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { adapterOf } from './adapters/adapter-registry.ts';
import { createPacing } from './pacing.ts';
import type { Provider } from './provider.types.ts';
import { MAX_WIRE_BYTES } from './provider-calls.ts';
import { createProvider } from './provider-client.ts';
import { type ProviderObserver, requestOutcome } from './provider-observer.ts';

interface Deps {
  models: Models;
  cipher: Cipher;
  clock: Clock;
  wait: Wait;
  observer: ProviderObserver;
  log: Logger;
  config: Pick<Config, 'recorderProvider' | 'recorderApiUrl' | 'connectorPacingMs'>;
}

/** Creates the provider at `RECORDER_API_URL`, with an outbound client of its own; null if the variable is unset. */
export function createRecorder({ models, cipher, clock, wait, observer, log, config }: Deps): {
  provider: Provider | null;
  close(graceMs: number): Promise<void>;
} {
  if (config.recorderApiUrl === null) return { provider: null, close: async () => {} };
  const client = createOutboundClient({ allowPrivate: true, maxWireBytes: MAX_WIRE_BYTES });
  const outbound: OutboundClient = {
    ...client,
    async send(request) {
      const result = await client.send(request);
      observer.onProviderRequest({ outcome: requestOutcome(result) });
      return result;
    },
  };
  const pacing = createPacing({
    ConnectorPacing: models.ConnectorPacing,
    pacingMs: config.connectorPacingMs,
    wait,
    cipher,
  });
  return {
    provider: createProvider({
      adapter: adapterOf(config.recorderProvider),
      baseUrl: config.recorderApiUrl,
      outbound,
      pacing,
      clock,
      wait,
      log,
    }),
    close: (graceMs) => outbound.close(graceMs),
  };
}
