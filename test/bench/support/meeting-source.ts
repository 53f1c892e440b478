import { answerCalls } from '../../support/child-process.ts';
import { manyMeetings, startProvider } from '../../support/provider.ts';

/** A fake meeting provider in a separate process. */
const handlers = {
  /** Starts it with so many meetings, and gives its address. */
  start: async ({ count, segments }: { count: number; segments: number }): Promise<string> =>
    (await startProvider({ meetings: manyMeetings(count, segments) })).url,
};

export type MeetingSourceCalls = typeof handlers;

answerCalls(handlers);
