import type { Model, Types } from 'mongoose';
import { TRIPPING_DELIVERIES, TRIPPING_FAILURES } from './circuit.ts';
import {
  BY_CIRCUIT,
  type EndpointDoc,
  type ExhaustedDeliveries,
  type StoredCircuit,
} from './endpoint.model.ts';
import type { DisabledReason } from './endpoint.types.ts';
import { disabledEvent, queued } from './queued-events.store.ts';

/** Filter: an endpoint still has one of the targets that attempts have used. Null matches a missing token. */
const sameTarget = (...used: readonly EndpointDoc[]) => ({
  targetToken: { $in: used.map(({ targetToken = null }) => targetToken) },
});

/** Filters for endpoints that have the same target as attempts. A token belongs to one endpoint, so that one filter is exact for all that have one. */
const alike = (endpoints: readonly EndpointDoc[]) =>
  [...Map.groupBy(endpoints, ({ targetToken }) => targetToken !== undefined).values()].map((used) => ({
    id: { $in: used.map(({ id }) => id) },
    ...sameTarget(...used),
  }));

interface Deps {
  Endpoint: Model<EndpointDoc>;
  /** Makes a change of a tenant's endpoints that applies in every process once this resolves. */
  change: <T>(customerId: number, make: () => Promise<T>) => Promise<T>;
}

/**
 * Part of the store of endpoints: what the outcomes of attempts change, namely failures in a row, the circuit, exhausted
 * deliveries and an automatic disabling. Each of them applies to the target that the attempts used.
 */
export function endpointFailures({ Endpoint, change }: Deps) {
  return {
    /** Disables an endpoint that is enabled and has the same target; returns false for any other. */
    async disable(endpoint: EndpointDoc, reason: DisabledReason, at: Date): Promise<boolean> {
      const { customerId, id } = endpoint;
      const { modifiedCount } = await change(customerId, () =>
        Endpoint.updateOne(
          { customerId, id, enabled: true, ...sameTarget(endpoint) },
          {
            $set: { enabled: false, disabledReason: reason, circuit: null, updatedAt: at },
            $inc: { revision: 1 },
            ...disabledEvent(reason, at),
          },
        ),
      );
      return modifiedCount === 1;
    },

    /**
     * Adds to the failures since the last success and returns the updated endpoint; null if its target was replaced.
     *
     * @param failures.deliveries some of the deliveries that have failed, up to `TRIPPING_DELIVERIES`
     */
    addFailures: (
      endpoint: EndpointDoc,
      failures: { count: number; deliveries: readonly Types.ObjectId[] },
      at: Date,
    ) =>
      Endpoint.findOneAndUpdate(
        { id: endpoint.id, ...sameTarget(endpoint) },
        [
          {
            $set: {
              failures: { $add: ['$failures', failures.count] },
              failedDeliveries: {
                $slice: [
                  { $setUnion: [{ $ifNull: ['$failedDeliveries', []] }, [...failures.deliveries]] },
                  TRIPPING_DELIVERIES,
                ],
              },
              failingSince: { $ifNull: ['$failingSince', at] },
            },
          },
        ],
        { returnDocument: 'after', updatePipeline: true },
      ).lean<EndpointDoc>(),

    /** Opens the circuit of an endpoint that still fails; returns false if it is open, or an attempt has succeeded. */
    async openCircuit(endpoint: EndpointDoc, circuit: StoredCircuit): Promise<boolean> {
      const { customerId, id } = endpoint;
      const { modifiedCount } = await change(customerId, () =>
        Endpoint.updateOne(
          {
            customerId,
            id,
            enabled: true,
            circuit: null,
            failures: { $gte: TRIPPING_FAILURES },
            ...sameTarget(endpoint),
          },
          { $set: { circuit } },
        ),
      );
      return modifiedCount === 1;
    },

    /** Begins a probe if none is in flight and the next one is due; no other begins until a time. */
    async beginProbe(endpoint: EndpointDoc, { at, until }: { at: Date; until: Date }): Promise<boolean> {
      const { customerId, id } = endpoint;
      const { modifiedCount } = await change(customerId, () =>
        Endpoint.updateOne(
          { customerId, id, enabled: true, 'circuit.probeAt': { $lte: at }, ...sameTarget(endpoint) },
          { $set: { 'circuit.state': 'half_open', 'circuit.probeAt': until } },
        ),
      );
      return modifiedCount === 1;
    },

    /** Ends a failed probe, unless the circuit was closed meanwhile. @param nextAt time of the next one */
    endProbe: async (endpoint: EndpointDoc, { reason, nextAt }: { reason: string; nextAt: Date }) => {
      const { customerId, id } = endpoint;
      await change(customerId, () =>
        Endpoint.updateOne(
          { customerId, id, 'circuit.state': 'half_open', ...sameTarget(endpoint) },
          {
            $set: { 'circuit.state': 'open', 'circuit.reason': reason, 'circuit.probeAt': nextAt },
            $inc: { 'circuit.failedProbes': 1 },
          },
        ),
      );
    },

    /** Closes the circuit of an endpoint after a success; returns false if it is closed, or its target was replaced. */
    async closeCircuit(endpoint: EndpointDoc): Promise<boolean> {
      const { customerId, id } = endpoint;
      const { modifiedCount } = await change(customerId, () =>
        Endpoint.updateOne(
          { customerId, id, circuit: { $ne: null }, ...sameTarget(endpoint) },
          { $set: { circuit: null } },
        ),
      );
      return modifiedCount === 1;
    },

    /** Number of endpoints of all tenants whose circuit is not closed. */
    countOpenCircuits: (): Promise<number> =>
      Endpoint.countDocuments({ 'circuit.state': { $in: ['open', 'half_open'] } }, { hint: BY_CIRCUIT }),

    /** Reports an endpoint with failures once, until an attempt has succeeded. */
    reportFailing: async (endpoint: EndpointDoc, at: Date): Promise<void> => {
      const { customerId, id, failures, failingSince } = endpoint;
      const since = (failingSince ?? at).toISOString();
      await Endpoint.updateOne(
        { customerId, id, failures: { $gt: 0 }, failingReported: { $ne: true }, ...sameTarget(endpoint) },
        { $set: { failingReported: true }, ...queued('endpoint.failing', at, { failures, since }) },
      );
    },

    /** Adds to the exhausted deliveries of an endpoint. @param reportedAt time at which they are reported; null if they are not */
    addExhausted: async (
      { customerId, id }: Pick<EndpointDoc, 'customerId' | 'id'>,
      { count, createdSince, finishedSince }: ExhaustedDeliveries,
      reportedAt: Date | null,
    ): Promise<void> => {
      const $inc = { 'exhausted.count': count };
      const $min = { 'exhausted.createdSince': createdSince, 'exhausted.finishedSince': finishedSince };
      // One queued count, to which all processes add: in a minute, entries of each flush would exceed the limit.
      const { matchedCount } = reportedAt
        ? await Endpoint.updateOne(
            { customerId, id, 'unpublished.event': 'delivery.exhausted' },
            { $inc: { ...$inc, 'unpublished.$.data.count': count }, $min },
          )
        : { matchedCount: 0 };
      if (matchedCount > 0) return;
      await Endpoint.updateOne(
        { customerId, id },
        {
          $inc,
          $min,
          ...(reportedAt &&
            queued('delivery.exhausted', reportedAt, { count, since: reportedAt.toISOString() })),
        },
      );
    },

    /**
     * Notes for endpoints with `autoRecover` that deliveries may have been exhausted since their first failure: a process that
     * has died since may not have noted them.
     *
     * @param deliveryMs longest usual time from the acceptance of a delivery to the end of its attempts
     */
    async noteOutages(endpoints: readonly EndpointDoc[], deliveryMs: number): Promise<void> {
      for (const same of alike(endpoints))
        await Endpoint.updateMany(
          { ...same, autoRecover: true, failingSince: { $ne: null } },
          [
            {
              $set: {
                exhausted: {
                  count: { $add: [{ $ifNull: ['$exhausted.count', 0] }, 1] },
                  createdSince: {
                    $min: ['$exhausted.createdSince', { $subtract: ['$failingSince', deliveryMs] }],
                  },
                  finishedSince: { $min: ['$exhausted.finishedSince', '$failingSince'] },
                },
              },
            },
          ],
          { updatePipeline: true },
        );
    },

    /** Forgets the exhausted deliveries of an endpoint; returns false if further ones were added since it was read. */
    async clearExhausted({ customerId, id, exhausted }: EndpointDoc): Promise<boolean> {
      const { modifiedCount } = await Endpoint.updateOne(
        {
          customerId,
          id,
          'exhausted.count': exhausted?.count,
          'exhausted.finishedSince': exhausted?.finishedSince,
        },
        { $unset: { exhausted: 1 } },
      );
      return modifiedCount === 1;
    },

    /**
     * Resets the failures in a row of endpoints after a success, unless their target was replaced. An endpoint that was
     * reported as failing is reported as recovered. Exhausted deliveries of an endpoint without `autoRecover` stay as they
     * are; a recovery sends the others again.
     */
    async endFailures(endpoints: readonly EndpointDoc[], at: Date): Promise<void> {
      const operations = alike(endpoints).flatMap((same) => [
        {
          updateMany: {
            filter: { ...same, failures: { $gt: 0 } },
            update: { $set: { failures: 0, failingSince: null, failedDeliveries: [] } },
          },
        },
        {
          updateMany: {
            filter: { ...same, exhausted: { $exists: true }, autoRecover: { $ne: true } },
            update: { $unset: { exhausted: '' } },
          },
        },
        {
          updateMany: {
            filter: { ...same, failingReported: true },
            update: {
              $unset: { failingReported: '' },
              ...queued('endpoint.recovered', at, { recoveredAt: at.toISOString() }),
            },
          },
        },
      ]);
      await Endpoint.bulkWrite(operations, { ordered: false });
    },
  };
}
