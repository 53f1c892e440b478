import type { MeetingSyncRun } from '../meetings.types.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Returns the run without its checkpoint and lease. */
export const toRun = ({
  _id,
  customerId: _customerId,
  generation: _generation,
  after: _after,
  lease: _lease,
  claims: _claims,
  warnings = 0,
  warningDetails = [],
  ...run
}: SyncRunDoc): MeetingSyncRun => ({ id: _id.toHexString(), ...run, warnings, warningDetails });
