import mongoose from 'mongoose';
import type { DriftReference } from '../shared/drift-references.ts';
import { MAX_INT32 } from '../shared/int32.ts';
import type { ModelDb } from './model-db.ts';
import type { SampleCounts } from './psi/compare-sets.ts';
import type { ComponentDetails, DriftComponents, DriftReport } from './psi/drift-report.ts';

/** Fields that checks of earlier versions do not have. */
type Added = 'components' | 'componentDetails' | 'insufficientData' | 'threshold';

interface CheckDoc extends Omit<DriftReport, Added>, Partial<Pick<DriftReport, Added>> {
  _id: mongoose.Types.ObjectId;
  method: 'psi';
  /** Null for a check of all samples. */
  stage: string | null;
  /** Absent if an earlier version stored the check. */
  reference?: DriftReference;
  checkedAt: Date;
}

/** An entry of `GET /drift/history`, with the score and the settings of the time of the check. */
export interface HistoryEntry {
  id: string;
  driftScore: number;
  isDrifted: boolean;
  method: 'psi';
  stage: string | null;
  checkedAt: string;
  /** Absent if an earlier version stored the check, as the next four. */
  reference?: DriftReference;
  components?: DriftComponents;
  componentDetails?: DriftReport['componentDetails'];
  insufficientData?: boolean;
  rows?: SampleCounts;
  /** Present if the query names a feature; null if the check does not have it. */
  featureScore?: number | null;
}

export interface HistoryFilter {
  /** Lists checks of this stage. */
  stage?: string | undefined;
  /** Lists checks of all samples alone. */
  overall?: boolean | undefined;
  limit: number;
  /** Feature whose score each entry has. */
  feature?: string | undefined;
}

const LISTED_FIELDS = {
  driftScore: 1,
  isDrifted: 1,
  method: 1,
  stage: 1,
  checkedAt: 1,
  components: 1,
  componentDetails: 1,
  insufficientData: 1,
  rows: 1,
  reference: 1,
} as const;

type AllDetails = NonNullable<DriftReport['componentDetails']>;

/** Limits the numbers of rows, which an earlier version stored without a bound, up to infinity. */
function boundedDetails({ features, prediction, outcome }: AllDetails): AllDetails {
  const bounded = (detail: ComponentDetails | null) =>
    detail && {
      ...detail,
      rowsNeeded: detail.rowsNeeded <= MAX_INT32 ? detail.rowsNeeded : MAX_INT32,
    };
  return { features: bounded(features), prediction: bounded(prediction), outcome: bounded(outcome) };
}

/** Creates the store of check results. */
export function driftCheckStore(db: ModelDb) {
  const checks = db.collection<CheckDoc>('checks');
  const newestFirst = { checkedAt: -1, _id: -1 } as const;

  return {
    async prepare(): Promise<void> {
      await checks.createIndex(newestFirst);
      await checks.createIndex({ stage: 1, ...newestFirst });
    },

    /** Stores a check and returns its id. */
    async add(
      report: DriftReport,
      check: Required<Pick<CheckDoc, 'stage' | 'reference' | 'checkedAt'>>,
    ): Promise<string> {
      const _id = new mongoose.Types.ObjectId();
      await checks.insertOne({ _id, ...report, method: 'psi', ...check });
      return _id.toHexString();
    },

    /**
     * Returns the latest check of a stage or of all samples; null if there is none.
     * @param stage null for all samples
     */
    latest: (stage: string | null): Promise<CheckDoc | null> =>
      checks.findOne({ stage }, { sort: newestFirst }),

    /** Lists checks, newest first; without `stage` and `overall`, for all stages and for all samples. */
    async list({ stage, overall, limit, feature }: HistoryFilter): Promise<HistoryEntry[]> {
      const filter = overall ? { stage: null } : stage === undefined ? {} : { stage };
      const projection = {
        ...LISTED_FIELDS,
        ...(feature === undefined ? {} : { featureDrifts: { $elemMatch: { feature } } }),
      };
      const found = await checks.find(filter, { sort: newestFirst, limit, projection }).toArray();
      return found.map((check) => ({
        id: check._id.toHexString(),
        driftScore: check.driftScore,
        isDrifted: check.isDrifted,
        method: check.method,
        stage: check.stage,
        checkedAt: check.checkedAt.toISOString(),
        ...(check.reference ? { reference: check.reference } : {}),
        ...(check.components ? { components: check.components } : {}),
        ...(check.componentDetails ? { componentDetails: boundedDetails(check.componentDetails) } : {}),
        ...(check.insufficientData === undefined ? {} : { insufficientData: check.insufficientData }),
        ...(check.rows ? { rows: check.rows } : {}),
        ...(feature === undefined ? {} : { featureScore: check.featureDrifts?.[0]?.score ?? null }),
      }));
    },
  };
}
