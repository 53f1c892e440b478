import type { z } from 'zod';
import { statusResponse } from '../../features/drift/sidecar.responses.ts';
import type { Subject } from './requirement.ts';

export type Status = z.output<typeof statusResponse>;

/** Reads the status of the run's own stage. It is computed from the samples until the stage is checked. */
export const statusOf = ({ probe, stage }: Subject): Promise<Status> =>
  probe.read(statusResponse, { path: '/drift/status', query: { stage } });

/** Returns the scores by feature. */
export const scoresOf = ({ featureDrifts }: Status): Map<string, number> =>
  new Map(featureDrifts.map(({ feature, score }) => [feature, score]));

/** Returns true if both sets have this number of rows; false if the sidecar does not report the rows. */
export const hasRows = (reported: Status['rows'], rows: number): boolean =>
  reported?.reference === rows && reported.current === rows;
