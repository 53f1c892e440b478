import type { Model } from 'mongoose';
import type { ProviderPacingDoc } from './pacing.model.ts';

/** `waitMs`: time until the next attempt is worthwhile. */
export type TurnAttempt = { acquired: true } | { acquired: false; waitMs: number };

/** What a process asks for. */
export interface TurnClaim {
  /** Id of the document. */
  key: string;
  /** Token of the process. */
  holder: string;
  /** Interval between the starts of two requests. */
  intervalMs: number;
}

/**
 * Turns per provider key rather than per tenant: two tenants with one key share the provider's limit. The database
 * compares the times, so that the clocks of the processes do not matter.
 */
export const pacingStore = (ProviderPacing: Model<ProviderPacingDoc>) => ({
  /** Acquires the turn if it is free, for at most `ttlMs`. */
  async acquire({ key, holder, intervalMs }: TurnClaim, ttlMs: number): Promise<TurnAttempt> {
    // A missing value compares less than any date, so an unknown key is free.
    const free = { $and: [{ $lte: ['$freeAt', '$$NOW'] }, { $lte: ['$notBefore', '$$NOW'] }] };
    const slot = await ProviderPacing.findOneAndUpdate(
      { _id: key },
      [
        {
          $set: {
            holder: { $cond: [free, holder, '$holder'] },
            freeAt: { $cond: [free, { $add: ['$$NOW', ttlMs] }, '$freeAt'] },
            askedAt: '$$NOW',
          },
        },
      ],
      { upsert: true, returnDocument: 'after', updatePipeline: true },
    ).lean<ProviderPacingDoc>();
    if (slot.holder === holder) return { acquired: true };
    const leftMs = slot.freeAt.getTime() - slot.askedAt.getTime();
    // A held turn usually ends long before it expires, and the next may begin one interval later.
    const turnMs = slot.holder === null ? leftMs : Math.min(leftMs, intervalMs);
    const advisedMs = slot.notBefore ? slot.notBefore.getTime() - slot.askedAt.getTime() : 0;
    return { acquired: false, waitMs: Math.max(turnMs, advisedMs) };
  },

  /** Delays the next request, unless it is already delayed for longer. */
  async delay(key: string, delayMs: number): Promise<void> {
    await ProviderPacing.updateOne(
      { _id: key },
      [{ $set: { notBefore: { $max: ['$notBefore', { $add: ['$$NOW', delayMs] }] } } }],
      { updatePipeline: true },
    );
  },

  /** Ends the turn: the next request may start one interval from now. */
  async end({ key, holder, intervalMs }: TurnClaim): Promise<void> {
    await ProviderPacing.updateOne(
      { _id: key, holder },
      [{ $set: { holder: null, freeAt: { $add: ['$$NOW', intervalMs] } } }],
      { updatePipeline: true },
    );
  },
});
