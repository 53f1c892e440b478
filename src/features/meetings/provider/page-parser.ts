import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { MEETING, meetingId } from './meeting-schema.ts';
import { continuationOf } from './page-urls.ts';
import {
  ProviderError,
  type ProviderMeeting,
  type ProviderPage,
  type RejectedMeeting,
} from './provider.types.ts';

/** Problems that the reason of a rejected meeting lists; a malformed transcript can have thousands. */
const MAX_LISTED_PROBLEMS = 3;

const MAX_CONTINUATION_LENGTH = 2_048;

const list = z.array(z.unknown());

/** The envelope; the meetings are validated one by one. */
const envelope = z
  .object({
    meetings: list.nullish(),
    data: list.nullish(),
    next: z.string().max(MAX_CONTINUATION_LENGTH).nullish(),
    // A provider that counts its pages may send a number.
    next_cursor: z.union([z.string().max(MAX_CONTINUATION_LENGTH), z.number().transform(String)]).nullish(),
  })
  .transform((page, context) => {
    const meetings = page.meetings ?? page.data;
    if (meetings) return { meetings, next: page.next ?? null, cursor: page.next_cursor ?? null };
    context.addIssue({ code: 'custom', path: ['meetings'], message: 'missing' });
    return z.NEVER;
  });

/** Describes problems by field, without values: `participants[2].email: Invalid input: expected string`. */
function describe({ issues }: z.ZodError): string {
  const listed = issues.slice(0, MAX_LISTED_PROBLEMS).map(({ path, message }) => {
    const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    return `${field.replace(/^\./, '') || 'meeting'}: ${message}`;
  });
  const others = issues.length - listed.length;
  return listed.join('; ') + (others > 0 ? `; and ${others} more` : '');
}

/**
 * Parses a page of `GET /meetings`. A meeting with a malformed field is rejected as a whole, since a partial
 * transcript would look complete; the other meetings of the page are returned. Unknown fields are dropped.
 *
 * @param url of the page
 * @returns null for a truncated body: it begins as an object and does not end
 * @throws ProviderError `bad_response` when it is not a page of meetings
 */
export async function parsePage(body: string, url: URL): Promise<ProviderPage | null> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    // A connection that closes early can look like the end of the response.
    if (/^\s*(\{|$)/.test(body)) return null;
    throw new ProviderError('bad_response', "The provider's response is not JSON.");
  }
  const page = envelope.safeParse(json);
  if (!page.success)
    throw new ProviderError(
      'bad_response',
      `The provider's response is not a page of meetings: ${describe(page.error)}.`,
    );

  const meetings: ProviderMeeting[] = [];
  const rejected: RejectedMeeting[] = [];
  for (const raw of page.data.meetings) {
    // Yields: a large page would block the event loop.
    await setImmediate();
    const meeting = MEETING.safeParse(raw);
    if (meeting.success) meetings.push(meeting.data);
    else rejected.push({ id: idOf(raw), reason: describe(meeting.error) });
  }
  const { next, cursor } = page.data;
  return { meetings, rejected, next: continuationOf({ next, cursor, url }) };
}

/** Returns the id of a rejected meeting; null if the id itself is malformed. */
const idOf = (raw: unknown): string | null => z.object({ id: meetingId }).safeParse(raw).data?.id ?? null;
