import type { Model } from 'mongoose';
import type { ConnectorPacingDoc } from './pacing.model.ts';

/** Whether the turn was taken, and if not, how many milliseconds until it is worth asking again. */
export type Turn = { taken: true } | { taken: false; waitMs: number };

/**
 * Whose turn it is, by provider key and not by tenant: two tenants with one key share the provider's limit.
 * The times are the database's, so that the clocks of processes do not matter.
 */
export const pacingStore = (ConnectorPacing: Model<ConnectorPacingDoc>, pacingMs: number) => ({
  /** Takes the turn if it is free, for `holdMs` at most. */
  async take(key: string, holder: string, holdMs: number): Promise<Turn> {
    // Nothing is less than any date, so a key that was never used is free.
    const free = { $lte: ['$freeAt', '$$NOW'] };
    const slot = await ConnectorPacing.findOneAndUpdate(
      { _id: key },
      [
        {
          $set: {
            holder: { $cond: [free, holder, '$holder'] },
            freeAt: { $cond: [free, { $add: ['$$NOW', holdMs] }, '$freeAt'] },
            askedAt: '$$NOW',
          },
        },
      ],
      { upsert: true, returnDocument: 'after', updatePipeline: true },
    ).lean<ConnectorPacingDoc>();
    if (slot.holder === holder) return { taken: true };
    const left = slot.freeAt.getTime() - slot.askedAt.getTime();
    // Held: it will be free one pacing after a start that is still to come, however long the hold could last.
    return { taken: false, waitMs: slot.holder === null ? left : Math.min(left, pacingMs) };
  },

  /** The holder's request has started, or never will: the next may start one pacing from now. */
  async pass(key: string, holder: string): Promise<void> {
    await ConnectorPacing.updateOne(
      { _id: key, holder },
      [{ $set: { holder: null, freeAt: { $add: ['$$NOW', pacingMs] } } }],
      { updatePipeline: true },
    );
  },
});
