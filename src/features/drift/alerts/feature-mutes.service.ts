import { AppError, invalid } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { MAX_MUTES } from '../../../shared/drift-limits.ts';
import type { FeatureMuteDoc } from './feature-mute.model.ts';
import type { FeatureMuteStore, MutedFeature } from './feature-mute.store.ts';

/** A feature whose drift raises no alert. */
export interface FeatureMute extends Omit<FeatureMuteDoc, '_id'> {
  id: string;
}

interface Deps {
  mutes: FeatureMuteStore;
  clock: Clock;
  log: Logger;
}

const toMute = ({ _id, ...mute }: FeatureMuteDoc): FeatureMute => ({ id: _id.toHexString(), ...mute });

/** Creates the service for muted features. A muted feature keeps its scores, but raises no alerts. */
export function featureMuteService({ mutes, clock, log }: Deps) {
  return {
    /** Lists the muted features of a model, newest first. @param stage only mutes of this stage */
    async list({ model, stage }: { model: string; stage?: string | null }): Promise<FeatureMute[]> {
      return (await mutes.list({ model, stage: stage ?? undefined }, clock.now())).map(toMute);
    },

    /**
     * Mutes a feature, or replaces the note and the end of its mute.
     * @throws AppError `VALIDATION_FAILED` for an end in the past, `CONFLICT` if too many features are muted
     */
    async mute({
      note,
      until,
      ...of
    }: MutedFeature & Pick<FeatureMuteDoc, 'note' | 'until'>): Promise<FeatureMute> {
      const now = clock.now();
      if (until && until <= now) throw invalid('until', 'Must be in the future.');
      if (!(await mutes.exists(of)) && (await mutes.count()) >= MAX_MUTES)
        throw new AppError('CONFLICT', `At most ${MAX_MUTES} features can be muted; unmute one first.`);
      const mute = toMute(await mutes.set(of, { note, until, createdAt: now }));
      log.info({ ...of, until }, 'feature muted for drift alerts');
      return mute;
    },

    /** Ends a mute. @throws AppError `NOT_FOUND` if the feature is not muted there */
    async unmute(of: MutedFeature): Promise<FeatureMute> {
      const mute = await mutes.remove(of);
      if (!mute) throw new AppError('NOT_FOUND', 'The feature is not muted there.');
      log.info(of, 'feature unmuted for drift alerts');
      return toMute(mute);
    },
  };
}

export type FeatureMuteService = ReturnType<typeof featureMuteService>;
