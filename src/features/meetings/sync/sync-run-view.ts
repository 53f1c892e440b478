import type { MeetingSyncRun } from '../meetings.types.ts';
import { estimateOf } from './sync-position.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Returns the run without its checkpoint and lease. */
export function toRun(document: SyncRunDoc): MeetingSyncRun {
  const {
    _id,
    customerId: _customerId,
    generation: _generation,
    after: _after,
    lease: _lease,
    claims: _claims,
    position: _position,
    logged: _logged,
    byChange: _byChange,
    comparison: _comparison,
    pausedAt,
    status,
    scope = 'incremental',
    until = null,
    unchanged = 0,
    skipped = 0,
    warnings = 0,
    warningDetails = [],
    ...run
  } = document;
  return {
    id: _id.toHexString(),
    ...run,
    status: status === 'running' && pausedAt ? 'paused' : status,
    scope,
    until,
    unchanged,
    skipped,
    warnings,
    warningDetails,
    ...estimateOf(document),
  };
}
