import { mongo } from 'mongoose';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { eventually } from '../support/eventually.ts';
import type { ScheduledFault } from './fault-schedule.ts';
import type { ReceivedRequest } from './receiver.ts';

/** The deliveries as stored, compared with what the receiver has logged. */
export interface DeliveryAudit {
  deliveries: number;
  statuses: Record<string, number>;
  received: number;
  logged: number;
  /** Requests that the receiver has and the log of attempts lacks: a killed process, or a result that was rolled back. */
  unlogged: number;
  /** Attempts with a response of the receiver that it has not sent. */
  invented: number;
  /** Deliveries that failed although the receiver answered a request with a 2xx. */
  hidden: string[];
  /** Deliveries that succeeded without a 2xx of the receiver. */
  unfounded: string[];
  /** Deliveries that are not terminal. */
  open: string[];
  /** Requests after a 2xx, by the latest fault before them, or `response cut` if the receiver cut the first one. */
  duplicates: Record<string, number>;
}

/** Time after the beginning of a fault in which a repeated request is explained by it. Milliseconds. */
const EXPLAINED_MS = 120_000;

type Stored = Pick<DeliveryDoc, '_id' | 'status' | 'attempts'>;

interface AuditOptions {
  received: readonly ReceivedRequest[];
  /** With the time at which each began. */
  faults: readonly ScheduledFault[];
  /** Time to wait until every delivery is terminal. */
  timeoutMs: number;
}

/** Waits until every delivery is terminal, and compares. */
export async function auditDeliveries(
  uri: string,
  { received, faults, timeoutMs }: AuditOptions,
): Promise<DeliveryAudit> {
  const client = await mongo.MongoClient.connect(uri);
  try {
    const collection = client.db().collection<Stored>('webhookDeliveries');
    const isTerminal = async () => (await collection.countDocuments({ dueAt: { $exists: true } })) === 0;
    await eventually(isTerminal, timeoutMs).catch(() => {});
    const stored = await collection.find({}, { projection: { status: 1, attempts: 1 } }).toArray();
    return compare(stored, received, faults);
  } finally {
    await client.close();
  }
}

/** Compares the stored deliveries with the requests that the receiver has logged. */
export function compare(
  stored: readonly Stored[],
  received: readonly ReceivedRequest[],
  faults: readonly ScheduledFault[],
): DeliveryAudit {
  const requests = Map.groupBy(received, ({ delivery }) => delivery);
  const audit: DeliveryAudit = {
    deliveries: stored.length,
    statuses: {},
    received: received.length,
    logged: 0,
    unlogged: 0,
    invented: 0,
    hidden: [],
    unfounded: [],
    open: [],
    duplicates: {},
  };
  for (const { _id, status, attempts } of stored) {
    const id = _id.toHexString();
    const ofDelivery = requests.get(id) ?? [];
    const responses = ofDelivery.filter((request) => request.status !== null);
    const answered = attempts.filter(({ responseStatus }) => responseStatus !== null);
    const succeeded = responses.some((request) => request.status === 200);
    audit.statuses[status] = (audit.statuses[status] ?? 0) + 1;
    audit.logged += attempts.length;
    audit.unlogged += Math.max(0, responses.length - answered.length);
    audit.invented += Math.max(0, answered.length - responses.length);
    if (status === 'failed' && succeeded) audit.hidden.push(id);
    if (status === 'succeeded' && !succeeded) audit.unfounded.push(id);
    if (status === 'pending' || status === 'retrying') audit.open.push(id);
    // A request whose connection was cut has been processed as well.
    const processed = ofDelivery.filter((request) => request.status !== 500);
    for (const [index, { atMs }] of processed.entries()) {
      if (index === 0) continue;
      const reason = processed[index - 1]?.status === null ? 'response cut' : faultBefore(faults, atMs);
      audit.duplicates[reason] = (audit.duplicates[reason] ?? 0) + 1;
    }
  }
  return audit;
}

const faultBefore = (faults: readonly ScheduledFault[], atMs: number): string =>
  faults.findLast((fault) => fault.atMs <= atMs && atMs - fault.atMs < EXPLAINED_MS)?.fault ?? 'none';
