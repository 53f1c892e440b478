import { answerCalls } from '../../support/child-process.ts';
import { manyMeetings, startProvider } from '../../support/provider.ts';

let provider: Awaited<ReturnType<typeof startProvider>> | undefined;

/** A fake meeting provider in a separate process. */
const handlers = {
  /** Starts it with so many meetings, and gives its address. */
  async start({ count, segments }: { count: number; segments: number }): Promise<string> {
    provider = await startProvider({ meetings: manyMeetings(count, segments) });
    return provider.url;
  },
  /** Returns the number of requests that it has received. */
  requests: (): number => provider?.requests.length ?? 0,
};

export type MeetingSourceCalls = typeof handlers;

answerCalls(handlers);
