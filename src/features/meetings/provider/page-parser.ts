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

/** Problems of one meeting that its reason names; a broken transcript can have thousands. */
const MAX_NAMED = 3;

const MAX_POINTER = 2_048;

const list = z.array(z.unknown());

/** The envelope; the meetings are checked one by one. */
const envelope = z
  .object({
    meetings: list.nullish(),
    data: list.nullish(),
    next: z.string().max(MAX_POINTER).nullish(),
    // A provider that counts its pages may send a number.
    next_cursor: z.union([z.string().max(MAX_POINTER), z.number().transform(String)]).nullish(),
  })
  .transform((page, context) => {
    const meetings = page.meetings ?? page.data;
    if (meetings) return { meetings, next: page.next ?? null, cursor: page.next_cursor ?? null };
    context.addIssue({ code: 'custom', path: ['meetings'], message: 'missing' });
    return z.NEVER;
  });

/** `participants[2].email: Invalid input: expected string, received number`: names fields, and no value of them. */
function describe({ issues }: z.ZodError): string {
  const named = issues.slice(0, MAX_NAMED).map(({ path, message }) => {
    const field = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    return `${field.replace(/^\./, '') || 'meeting'}: ${message}`;
  });
  const others = issues.length - named.length;
  return named.join('; ') + (others > 0 ? `; and ${others} more` : '');
}

/**
 * Reads a page of `GET /meetings`. A meeting of which a known field is malformed is rejected as a whole, since half
 * a transcript would pass for all of it; the others on its page are taken. What is unknown is left out.
 *
 * @param url where it came from
 * @returns null for an answer that is cut short: it begins as an object and does not end
 * @throws ProviderError `bad_answer` for what is no page at all
 */
export async function parsePage(body: string, url: URL): Promise<ProviderPage | null> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    // A connection that closes early can look like the end of the answer.
    if (/^\s*(\{|$)/.test(body)) return null;
    throw new ProviderError('bad_answer', "The provider's answer is not JSON.");
  }
  const page = envelope.safeParse(json);
  if (!page.success)
    throw new ProviderError(
      'bad_answer',
      `The provider's answer is no page of meetings: ${describe(page.error)}.`,
    );

  const meetings: ProviderMeeting[] = [];
  const rejected: RejectedMeeting[] = [];
  for (const raw of page.data.meetings) {
    // A large page takes a while; whoever else this process serves comes in between.
    await setImmediate();
    const meeting = MEETING.safeParse(raw);
    if (meeting.success) meetings.push(meeting.data);
    else rejected.push({ id: idOf(raw), reason: describe(meeting.error) });
  }
  const { next, cursor } = page.data;
  return { meetings, rejected, next: continuationOf(next, cursor, url) };
}

/** The id of a meeting that could not be taken, if that at least is sound. */
const idOf = (raw: unknown): string | null => z.object({ id: meetingId }).safeParse(raw).data?.id ?? null;
