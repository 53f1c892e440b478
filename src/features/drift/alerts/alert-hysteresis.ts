import type { DriftComponents } from '../drift.types.ts';
import type { SubjectReading, SubjectState } from './drift-alert.types.ts';

/** Consecutive checks that change the state of a subject. */
const STREAK = 2;
/** Share of the threshold below which a check counts as calm. */
const CLEAR_RATIO = 0.8;
/** Maximum number of subjects with a stored state; a sidecar may report ever new names. */
const MAX_SUBJECTS = 1_000;

interface AppliedCheck {
  states: SubjectState[];
  /** Readings that changed the state of their subject, and the new state. */
  transitions: { reading: SubjectReading; isDrifted: boolean }[];
}

/** A threshold can be 0, which no score is below. */
const isCalm = ({ score, threshold }: SubjectReading): boolean =>
  score === 0 || score < threshold * CLEAR_RATIO;

const asksForChange = (reading: SubjectReading, isDrifted: boolean): boolean =>
  isDrifted ? isCalm(reading) : !reading.muted && reading.score > reading.threshold;

/** Components of a drift that a build without `above` has stored: any can be the cause. */
const ANY_COMPONENT = ['features', 'prediction', 'outcome'] as const;

/** True if a check says nothing about a subject: what was above the threshold before may still be. */
const isUndecided = (
  { insufficientData, score, threshold, unknown = [] }: SubjectReading,
  { isDrifted, above = isDrifted ? ANY_COMPONENT : [] }: Pick<SubjectState, 'isDrifted' | 'above'>,
): boolean => insufficientData || (score <= threshold && above.some((name) => unknown.includes(name)));

/** Returns the component of the score that a feature belongs to. */
function componentOf(feature: string | null): keyof DriftComponents {
  if (feature === 'residual') return 'outcome';
  return feature === 'prediction' ? 'prediction' : 'features';
}

/** Returns the readings of a check, with score 0 for the subjects that it lacks, each subject once. */
function completeReadings(
  states: readonly SubjectState[],
  readings: readonly SubjectReading[],
): Iterable<SubjectReading> {
  const byFeature = new Map(readings.map((reading) => [reading.feature, reading]));
  const overall = byFeature.get(null);
  // With too few rows, a check may lack features that the model still has.
  if (overall?.insufficientData) return byFeature.values();
  const lacking = states.filter(
    ({ feature }) => !byFeature.has(feature) && !overall?.unknown?.includes(componentOf(feature)),
  );
  return [
    ...lacking.map(({ feature, threshold }) => ({ feature, score: 0, threshold, insufficientData: false })),
    ...byFeature.values(),
  ];
}

/**
 * Applies a check to the states of its subjects: drift is detected after two consecutive checks above the threshold,
 * and cleared after two below 80 % of it. A subject missing from the check has no samples left: its score is 0.
 */
export function applyCheck(
  states: readonly SubjectState[],
  readings: readonly SubjectReading[],
): AppliedCheck {
  const byFeature = new Map(states.map((state) => [state.feature, state]));
  const transitions: AppliedCheck['transitions'] = [];
  for (const reading of completeReadings(states, readings)) {
    const { feature, score, threshold } = reading;
    const before: Pick<SubjectState, 'isDrifted' | 'streak' | 'above'> = byFeature.get(feature) ?? {
      isDrifted: false,
      streak: 0,
    };
    const { isDrifted, streak } = before;
    if (isUndecided(reading, before)) continue;
    const { above } = score > threshold ? reading : before;
    const next = asksForChange(reading, isDrifted) ? streak + 1 : 0;
    const changes = next >= STREAK;
    if (changes) transitions.push({ reading, isDrifted: !isDrifted });
    // Inserted last, so that the limit drops the subjects that checks no longer contain.
    byFeature.delete(feature);
    byFeature.set(feature, {
      feature,
      isDrifted: isDrifted !== changes,
      streak: changes ? 0 : next,
      threshold,
      ...(above && { above }),
    });
  }
  const kept = [...byFeature.values()].filter(({ isDrifted, streak }) => isDrifted || streak > 0);
  return { states: kept.slice(-MAX_SUBJECTS), transitions };
}
