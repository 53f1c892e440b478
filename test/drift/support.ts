import {
  type FakeSidecar,
  FEATURE,
  type SidecarAnswers,
  type SidecarRequest,
  STATUS,
  startFakeSidecar,
} from '../support/sidecar.ts';

/** Scores that the fake sidecar reports next. */
export interface Scores {
  /** Score of all samples. */
  overall?: number;
  insufficientData?: boolean;
  /** Default: the features have the score, and no outcome is known. */
  components?: Record<'features' | 'prediction' | 'outcome', number | null>;
  stages?: Record<string, number>;
  features?: {
    feature: string;
    score: number;
    threshold?: number;
    noise?: number;
    significant?: boolean;
    weight?: number;
    insufficientData?: boolean;
    largestBin?: object;
    exampleIds?: string[];
  }[];
}

export interface ScoredSidecar extends FakeSidecar {
  /** Stages of the checks so far; null for one of all samples. */
  checked: (string | null)[];
  /** @param checkedAt time that checks report */
  report(scores: Scores, options?: { checkedAt?: string }): void;
}

const CHECKED_AT = '2026-11-20T12:00:00.000Z';

/** Starts a fake sidecar whose scores the test sets. The threshold is 0.2. */
export async function startScoredSidecar(): Promise<ScoredSidecar> {
  const sidecar = await startFakeSidecar();
  const checked: (string | null)[] = [];
  let scores: Scores = {};
  let checkedAt = CHECKED_AT;
  let checks = 0;

  const answers: SidecarAnswers = {
    '/health': { modelVersion: 'm-1' },
    '/drift/status': STATUS,
    '/drift/feature': FEATURE,
    '/drift/stages': () =>
      scores.stages &&
      Object.keys(scores.stages).map((stage) => ({ stage, rows: { reference: 40, current: 40 } })),
    '/drift/check': ({ body }: SidecarRequest) => {
      const { overall = 0, insufficientData = false, stages = {}, features = [], components } = scores;
      const stage = (body.stage as string | undefined) ?? null;
      checked.push(stage);
      const driftScore = stage === null ? overall : stages[stage];
      if (driftScore === undefined) return undefined;
      checks += 1;
      return {
        success: true,
        id: `c${checks}`,
        checkedAt,
        stage,
        driftScore,
        isDrifted: driftScore > 0.2,
        threshold: 0.2,
        components: components ?? {
          features: insufficientData ? null : driftScore,
          prediction: insufficientData ? null : 0,
          outcome: null,
        },
        insufficientData,
        featureDrifts: features.map(({ score, threshold = 0.2, ...rest }) => ({
          ...rest,
          score,
          threshold,
          drifted: !rest.insufficientData && rest.significant !== false && score > threshold,
        })),
      };
    },
  };
  sidecar.behave({ answers });
  return {
    ...sidecar,
    checked,
    report(next, options = {}) {
      scores = next;
      checkedAt = options.checkedAt ?? CHECKED_AT;
    },
  };
}
