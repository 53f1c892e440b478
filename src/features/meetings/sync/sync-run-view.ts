import type { MeetingSyncRun, SyncProgress } from '../meetings.types.ts';
import { estimateOf, START_POSITION } from './sync-position.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Returns the progress of a run. Runs of earlier versions lack some fields. */
export const progressOf = (run: SyncRunDoc): SyncProgress => ({
  pages: run.pages,
  fetched: run.fetched,
  stored: run.stored,
  updated: run.updated,
  unchanged: run.unchanged ?? 0,
  rejected: run.rejected,
  skipped: run.skipped ?? 0,
  suppressed: run.suppressed ?? 0,
  warnings: run.warnings ?? 0,
  warningDetails: run.warningDetails ?? [],
  rateLimited: run.rateLimited,
  position: { ...(run.position ?? START_POSITION) },
});

/** Returns a run for clients. */
export function toRun(run: SyncRunDoc): MeetingSyncRun {
  const { position: _position, ...progress } = progressOf(run);
  return {
    id: run._id.toHexString(),
    status: run.status === 'running' && run.pausedAt ? 'paused' : run.status,
    scope: run.scope ?? 'incremental',
    since: run.since,
    until: run.until ?? null,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    error: run.error,
    ...progress,
    ...estimateOf(run),
  };
}
