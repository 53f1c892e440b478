import { Pool } from 'undici';
import { newSecret } from '../../../src/features/webhooks/signature/sign.ts';
import { answerCalls } from '../../support/child-process.ts';
import { waiting } from './documents.ts';
import { deliveryHeaders } from './signed.ts';

interface Options {
  sinkUrl: string;
  /** Number of the first event. */
  first: number;
  count: number;
  /** Requests under way at once. */
  inFlight: number;
  /** The bodies are made out over as many endpoints as the service has. */
  endpoints: number;
}

/** Posts the bodies that the service would, freshly signed, with undici and no database. */
async function run({ sinkUrl, first, count, inFlight, endpoints }: Options): Promise<void> {
  const pool = new Pool(sinkUrl, { connections: inFlight });
  const secrets = Array.from({ length: endpoints }, newSecret);
  const now = new Date();
  const bodies = Array.from({ length: count }, (_, i) =>
    waiting({ number: first + i, customerId: 1, endpointId: i % endpoints }, now, now),
  );
  let next = 0;
  const sender = async () => {
    while (next < count) {
      const stored = bodies[next];
      next += 1;
      if (!stored) return;
      const { event, delivery } = stored;
      const { body } = await pool.request({
        method: 'POST',
        path: `/${delivery.endpointId}`,
        headers: deliveryHeaders(delivery._id.toHexString(), event, secrets[delivery.endpointId] ?? ''),
        body: event.payload,
      });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sender));
  await pool.close();
}

const handlers = { run };
export type BareDeliverCalls = typeof handlers;
answerCalls(handlers);
