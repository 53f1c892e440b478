import { MAX_STRING } from '../limits.ts';
import { isText } from '../rows.ts';

/** What is wrong with a row's stage, if anything is. */
export const stageProblem = (stage: string | null): string | null =>
  stage === '' || (stage !== null && !isText(stage))
    ? `stage: must have 1 to ${MAX_STRING} characters`
    : null;
