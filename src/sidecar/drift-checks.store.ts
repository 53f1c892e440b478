import mongoose from 'mongoose';
import type { DriftReport } from './psi/drift-report.ts';

interface CheckDoc extends DriftReport {
  _id: mongoose.Types.ObjectId;
  method: 'psi';
  /** Null for a check of all samples. */
  stage: string | null;
  checkedAt: Date;
}

/** An entry of `GET /drift/history`. */
export interface HistoryEntry {
  id: string;
  driftScore: number;
  isDrifted: boolean;
  method: 'psi';
  stage: string | null;
  checkedAt: string;
}

/** Creates the store of check results. */
export function driftCheckStore(db: mongoose.mongo.Db) {
  const checks = db.collection<CheckDoc>('checks');
  const newestFirst = { checkedAt: -1, _id: -1 } as const;

  return {
    async prepare(): Promise<void> {
      await checks.createIndex(newestFirst);
      await checks.createIndex({ stage: 1, ...newestFirst });
    },

    async add(report: DriftReport, stage: string | null, checkedAt: Date): Promise<void> {
      await checks.insertOne({
        _id: new mongoose.Types.ObjectId(),
        ...report,
        method: 'psi',
        stage,
        checkedAt,
      });
    },

    /** Returns the latest check of all samples; null if there is none. */
    latest: (): Promise<CheckDoc | null> => checks.findOne({ stage: null }, { sort: newestFirst }),

    /**
     * Lists checks, newest first.
     * @param stage undefined for all checks, including those of all samples
     */
    async list(stage: string | undefined, limit: number): Promise<HistoryEntry[]> {
      const found = await checks
        .find(stage === undefined ? {} : { stage }, {
          sort: newestFirst,
          limit,
          projection: { featureDrifts: 0 },
        })
        .toArray();
      return found.map(({ _id, driftScore, isDrifted, method, checkedAt, ...check }) => ({
        id: _id.toHexString(),
        driftScore,
        isDrifted,
        method,
        stage: check.stage,
        checkedAt: checkedAt.toISOString(),
      }));
    },
  };
}
