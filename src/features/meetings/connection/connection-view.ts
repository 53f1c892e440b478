import type { Schedule } from '../../../config/config.ts';
import type { RecorderConnection } from '../meetings.types.ts';
import type { ConnectionDoc } from './connection.model.ts';

/** Returns the connection for clients; a `nextSyncAt` that an earlier schedule planned is void without a schedule. */
export const toConnection = (
  { status, connectedAt, lastSyncAt, nextSyncAt }: ConnectionDoc,
  { schedule }: { schedule: Schedule | null },
): RecorderConnection => ({
  status,
  connectedAt,
  lastSyncAt,
  nextSyncAt: schedule === null ? null : nextSyncAt,
});
