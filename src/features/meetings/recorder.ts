import type { Config } from '../../config.ts';
import type { Models } from '../../database.ts';
import { createOutboundClient, type OutboundClient } from '../../outbound/outbound-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Wait } from '../../platform/wait.ts';
import { outcomeOf, type SyncObserver } from './observer.ts';
import { createPacing } from './provider/pacing.ts';
import { MAX_WIRE_BYTES } from './provider/provider.calls.ts';
import { createProvider } from './provider/provider.client.ts';
import type { Provider } from './provider/provider.types.ts';

interface Deps {
  models: Models;
  clock: Clock;
  wait: Wait;
  observer: Pick<SyncObserver, 'onProviderRequest'>;
  log: Logger;
  config: Pick<Config, 'recorderApiUrl' | 'connectorPacingMs'>;
}

/** The provider at the operator's address, with a way out of its own; null when the operator names none. */
export function createRecorder({ models, clock, wait, observer, log, config }: Deps): {
  provider: Provider | null;
  close(graceMs: number): Promise<void>;
} {
  if (config.recorderApiUrl === null) return { provider: null, close: async () => {} };
  const wayOut = createOutboundClient({ allowPrivate: true, maxWireBytes: MAX_WIRE_BYTES });
  const outbound: OutboundClient = {
    ...wayOut,
    async send(request) {
      const answer = await wayOut.send(request);
      observer.onProviderRequest({ outcome: outcomeOf(answer) });
      return answer;
    },
  };
  const pacing = createPacing({
    ConnectorPacing: models.ConnectorPacing,
    pacingMs: config.connectorPacingMs,
    wait,
  });
  return {
    provider: createProvider({ baseUrl: config.recorderApiUrl, outbound, pacing, clock, wait, log }),
    close: (graceMs) => outbound.close(graceMs),
  };
}
