import { MIN_ROWS } from '../../../shared/drift-limits.ts';
import { formatCount } from '../../format.ts';
import type { DriftStatusQuery } from '../../generated/graphql.ts';

export type DriftStatus = DriftStatusQuery['driftStatus'];
export type FeatureDrift = DriftStatus['featureDrifts'][number];

type ComponentName = 'features' | 'prediction' | 'outcome';

/** What a status means, most urgent first. */
export type Verdict =
  | { state: 'drifted' }
  /** The model is not drifted, but these features are. */
  | { state: 'features drifted'; features: string[] }
  | { state: 'no samples' }
  | { state: 'too few samples' }
  /** These features score above their thresholds, but chance alone can reach their scores. */
  | { state: 'unproven'; features: string[] }
  /** The tolerated features score above the general threshold, but within one of their own. */
  | { state: 'no drift'; tolerated: string[] };

const namesOf = (features: readonly FeatureDrift[]): string[] => features.map(({ feature }) => feature);

const driftedFeatures = ({ featureDrifts }: Pick<DriftStatus, 'featureDrifts'>): string[] =>
  namesOf(featureDrifts.filter(({ drifted }) => drifted));

/** Judges a status. A status with a feature above its threshold is never `no drift`. */
export function verdictOf(status: DriftStatus): Verdict {
  const { isDrifted, insufficientData, featureDrifts, threshold } = status;
  if (isDrifted) return { state: 'drifted' };
  const drifted = driftedFeatures(status);
  if (drifted.length > 0) return { state: 'features drifted', features: drifted };
  if (featureDrifts.length === 0) return { state: 'no samples' };
  if (insufficientData) return { state: 'too few samples' };
  const above = featureDrifts.filter((drift) => drift.score > (drift.threshold ?? threshold));
  if (above.length > 0) return { state: 'unproven', features: namesOf(above) };
  return { state: 'no drift', tolerated: namesOf(featureDrifts.filter(({ score }) => score > threshold)) };
}

const MAX_NAMES = 3;

/** `age, plan and 4 more`. */
export function listNames(names: readonly string[]): string {
  const moreCount = names.length - MAX_NAMES;
  return moreCount > 0 ? `${names.slice(0, MAX_NAMES).join(', ')} and ${moreCount} more` : names.join(', ');
}

/** Returns the component that is the score; null if none is known, or all are 0. */
export function decidingComponent({ components }: Pick<DriftStatus, 'components'>): ComponentName | null {
  const names = ['features', 'prediction', 'outcome'] as const;
  const largest = Math.max(0, ...names.map((name) => components?.[name] ?? 0));
  return names.find((name) => largest > 0 && components?.[name] === largest) ?? null;
}

const CAUSES = {
  features: 'The input features have drifted from the reference data',
  prediction: 'The predictions of the model have drifted from the reference data.',
  outcome: 'The predictions diverge from the actual outcomes more than in the reference data.',
};

function describeDrift(status: DriftStatus): string {
  const deciding = decidingComponent(status);
  if (deciding === null)
    return 'The data or the predictions of the model have drifted from its reference data.';
  if (deciding !== 'features') return CAUSES[deciding];
  const names = driftedFeatures(status);
  return names.length === 0 ? `${CAUSES.features}.` : `${CAUSES.features}: ${listNames(names)}.`;
}

/** Returns how many rows are missing for a verdict. */
export function describeMissingRows(status: DriftStatus): string {
  const { method, rows, componentDetails } = status;
  const isSmall = !rows || Math.min(rows.reference, rows.current) < MIN_ROWS;
  const minimum =
    method === 'psi' && isSmall
      ? `Each set needs at least ${MIN_ROWS} rows for a score.`
      : 'The sets have too few rows for a score.';
  const { features, prediction, outcome } = componentDetails ?? {};
  const needed = Math.max(0, ...[features, prediction, outcome].map((detail) => detail?.rowsNeeded ?? 0));
  return needed === 0 ? minimum : `${minimum} A verdict needs about ${formatCount(needed, 'more row')}.`;
}

/** Scores above this fraction of the threshold count as close to it. */
const NEAR_THRESHOLD_RATIO = 0.75;

/** Explains a status and recommends an action. */
export function explain(status: DriftStatus): string {
  const verdict = verdictOf(status);
  const { driftScore, threshold, insufficientData } = status;
  switch (verdict.state) {
    case 'drifted':
      return `${describeDrift(status)} Review the features below; the model may need retraining.`;
    case 'features drifted': {
      const { features } = verdict;
      const drifted = `${formatCount(features.length, 'feature')} drifted: ${listNames(features)}.`;
      return insufficientData
        ? `${describeMissingRows(status)} Even so, ${drifted} Review the features below.`
        : `No drift of the model, but ${drifted} Review the features below.`;
    }
    case 'no samples':
      return 'No samples to compare yet.';
    case 'too few samples':
      return `${describeMissingRows(status)} The scores of the features below do not count as drift.`;
    case 'unproven':
      return `No proven drift: ${listNames(verdict.features)} scored above the threshold, but not above the noise floor. Chance alone can reach such a score with this number of rows.`;
    case 'no drift': {
      const { tolerated } = verdict;
      if (tolerated.length > 0)
        return `No drift detected: ${listNames(tolerated)} scored above the general threshold of ${threshold}, but within the higher threshold set for the feature.`;
      return driftScore >= threshold * NEAR_THRESHOLD_RATIO
        ? 'No drift detected, but the score is close to the threshold.'
        : 'No drift detected. No action needed.';
    }
  }
}

/** Score at the right end of every bar of a page: headline, components and features share the scale. */
export const scaleOf = ({ featureDrifts, threshold }: DriftStatus): number =>
  Math.max(1, threshold, ...featureDrifts.flatMap((drift) => [drift.score, drift.threshold ?? 0]));
