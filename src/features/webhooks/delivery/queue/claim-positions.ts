import type { Runtime } from '../../../../platform/runtime.ts';
import type { Lane } from '../state/delivery-state.ts';

/** Time after which a claim begins with the oldest due delivery again. */
const KEPT_MS = 1_000;

const BEGINNING = new Date(0);

/**
 * Due times at which the claims of endpoints continue. The database keeps the index keys of claimed deliveries for
 * minutes, as snapshots may read them, so a claim that began with the oldest would read past all of them. A position is
 * kept for a second only: then deliveries that became due with an earlier time are found.
 */
export function claimPositions({ monotonicMs }: Pick<Runtime, 'monotonicMs'>) {
  const positions: Record<Lane, Map<number, Date>> = { inline: new Map(), scheduled: new Map() };
  let clearedAt = monotonicMs();

  return {
    get(lane: Lane, endpointId: number): Date {
      if (monotonicMs() - clearedAt > KEPT_MS) {
        positions.inline.clear();
        positions.scheduled.clear();
        clearedAt = monotonicMs();
      }
      return positions[lane].get(endpointId) ?? BEGINNING;
    },

    /** @param dueAt of the last delivery that was read */
    advance: (lane: Lane, endpointId: number, dueAt: Date) => positions[lane].set(endpointId, dueAt),

    /** Called when no further delivery is due. */
    forget: (lane: Lane, endpointId: number) => positions[lane].delete(endpointId),
  };
}
