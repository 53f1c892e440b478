import { mapInSlices } from '../../../platform/time-slice.ts';
import { mentionsOf, redactValueInSlices } from '../../privacy/mentions.ts';
import { comparedNames } from '../../privacy/names.ts';
import {
  fullName,
  hasEmail,
  NO_PERSON,
  normalizeEmail,
  type Person,
  SUPPRESSED,
} from '../../privacy/person.ts';
import type { Suppressor } from '../../privacy/suppressor.ts';
import type { Participant, TranscriptSegment } from '../meetings.types.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';
import { encodeRecord } from '../provider-records/record-codec.ts';
import { decodeTranscript, encodeTranscript } from '../transcript-json.ts';

/** What a meeting says about people. */
export interface MeetingContent {
  title: string | null;
  summary: string | null;
  participants: Participant[];
  /** Null until there is a transcript. */
  segments: TranscriptSegment[] | null;
}

/** Role of the tenant's own people. */
const HOST = 'host';

const hasAddress = ({ email }: Participant): boolean => email !== null && normalizeEmail(email) !== '';

/** Returns true for a participant with one of the person's addresses, or without an address and with their name. */
export function participantIs({ emails, names }: Person) {
  const compared = comparedNames(names);
  return (participant: Participant): boolean =>
    hasAddress(participant) ? hasEmail({ emails }, participant.email) : compared.has(participant.name);
}

/** What providers append to the name of a speaker, as in `Zoé Quist (Guest)` and `Zoé Quist - Example Ltd`. */
const REMARK = /[([<|]|\s[\u2013\u2014-]\s/;

/** Returns the name of a speaker, without what the provider appends. */
function speakerName(speaker: string): string {
  const end = speaker.search(REMARK);
  return end > 0 ? speaker.slice(0, end) : speaker;
}

/** What identifies people in the names of speakers, by the person: prepared once for all meetings. */
const contacts = new WeakMap<Person, Person>();

/** Returns the condition on a speaker that their name has one of the person's addresses or numbers. */
function isContactOf(person: Person): (speaker: string) => boolean {
  const { emails, phones } = person;
  const contact = contacts.get(person) ?? { ...NO_PERSON, emails, phones };
  contacts.set(person, contact);
  return mentionsOf(contact).isIn;
}

/** Returns what participants add to the identifiers of a person. */
export const identifiersOfParticipants = (participants: readonly Participant[]): Partial<Person> => ({
  emails: emailsOf(participants),
  names: participants.flatMap(({ name }) => {
    const [first = null, ...rest] = name.trim().split(/\s+/);
    return fullName(first, rest.join(' ')) ?? [];
  }),
});

/** True if no participant from outside of the tenant's organization is left. */
export const isWithoutGuests = (others: readonly Participant[]): boolean =>
  others.every(({ role }) => role === HOST);

/** Recognizes people to erase. */
interface Erased {
  isErased(participant: Participant): boolean;
  /** Returns true for a speaker whom an identifier names, whether they participated or not. */
  isErasedSpeaker(speaker: string): boolean;
}

/**
 * Returns the content without participants and speakers that are to be erased; null if the meeting has no other guest, so
 * that all of it is about them.
 *
 * Their participation and what they said are removed, and with them the summary, which does not say who said
 * what. Mentions of the person and of the removed participants are replaced.
 */
export async function withoutPerson(
  { title, summary, participants, segments }: MeetingContent,
  person: Person,
  { isErased, isErasedSpeaker }: Erased = {
    isErased: participantIs(person),
    isErasedSpeaker: isContactOf(person),
  },
): Promise<MeetingContent | null> {
  const erased = participants.filter(isErased);
  const others = participants.filter((participant) => !isErased(participant));
  if (erased.length > 0 && isWithoutGuests(others)) return null;
  // An address or a number as a name has no parts that name the person.
  const named = erased.map(({ name }) => name).filter((name) => !isErasedSpeaker(speakerName(name)));
  const names = [...person.names, ...named];
  const known =
    erased.length === 0 ? person : { ...person, emails: [...person.emails, ...emailsOf(erased)], names };
  const { redact } = mentionsOf(known, { nameParts: erased.length > 0 });
  const isContact = isContactOf(known);
  const erasedNames = comparedNames(names);
  const otherNames = comparedNames(others.map(({ name }) => name));
  const isErasedName = (name: string): boolean =>
    erasedNames.has(name) || (erasedNames.hasPart(name) && !otherNames.hasPart(name));
  const speaks = (speaker: string): boolean =>
    isErasedSpeaker(speaker) ||
    (erased.length > 0 && (isContact(speaker) || isErasedName(speakerName(speaker))));
  const erasedSpeakers = new Set([...speakersIn(segments)].filter(speaks));
  return {
    title: title && redact(title),
    summary: erased.length > 0 || erasedSpeakers.size > 0 ? null : summary && redact(summary),
    participants: others.map((participant) => ({ ...participant, name: redact(participant.name) })),
    segments:
      segments &&
      (await mapInSlices(
        segments.filter(({ speaker }) => speaker === null || !erasedSpeakers.has(speaker)),
        (segment) => ({
          ...segment,
          speaker: segment.speaker && redact(segment.speaker),
          text: redact(segment.text),
        }),
      )),
  };
}

const speakersIn = (segments: readonly TranscriptSegment[] | null): Set<string> =>
  new Set(segments?.flatMap(({ speaker }) => speaker ?? []));

const emailsOf = (participants: readonly Participant[]): string[] =>
  participants.flatMap(({ email }) => (email === null ? [] : [normalizeEmail(email)]));

/**
 * Returns a meeting of the provider without suppressed people. If no other guest took part, only its times and hosts are
 * left.
 */
export async function withoutSuppressed(
  meeting: ProviderMeeting,
  suppressor: Suppressor | null,
): Promise<{ meeting: ProviderMeeting; isSuppressed: boolean }> {
  if (!suppressor) return { meeting, isSuppressed: false };
  const { redact, redactContacts, isSuppressedName } = suppressor;
  const { title, summary, participants, transcriptJson, recordJson } = meeting;
  const isErasedSpeaker = (speaker: string) =>
    suppressor.isSuppressed({ email: speaker }) || redactContacts(speakerName(speaker).trim()) === SUPPRESSED;
  const isErased = (participant: Participant) =>
    hasAddress(participant)
      ? suppressor.isSuppressed({ email: participant.email })
      : isSuppressedName(participant.name) || isErasedSpeaker(participant.name);
  const segments = transcriptJson === null ? null : decodeTranscript(transcriptJson);
  const content = (await withoutPerson({ title, summary, participants, segments }, NO_PERSON, {
    isErased,
    isErasedSpeaker,
  })) ?? {
    title: null,
    summary: null,
    participants: participants.filter((participant) => !isErased(participant)),
    // Not null, which stands for a transcript that is still to come.
    segments: transcriptJson === null ? null : [],
  };
  const isSuppressed =
    participants.some(isErased) || (content.segments?.length ?? 0) < (segments?.length ?? 0);
  // The name of a participant with another address can be a namesake's.
  const left = content.participants.map((participant) => ({
    ...participant,
    name: (hasAddress(participant) ? redactContacts : redact)(participant.name),
  }));
  const leftNames = comparedNames(left.map(({ name }) => name));
  /** What the name of each speaker becomes; the name of another participant stays. */
  const speakers = new Map<string, string>(
    await mapInSlices(speakersIn(content.segments), (speaker): [string, string] => [
      speaker,
      leftNames.has(speakerName(speaker)) ? speaker : redact(speaker),
    ]),
  );
  return {
    isSuppressed,
    meeting: {
      ...meeting,
      title: content.title && redact(content.title),
      summary: content.summary && redact(content.summary),
      participants: left,
      transcriptJson:
        content.segments &&
        encodeTranscript(
          await mapInSlices(content.segments, ({ speaker, text, ...segment }) => ({
            ...segment,
            speaker: speaker && (speakers.get(speaker) ?? null),
            text: redact(text),
          })),
        ),
      recordJson:
        isSuppressed || recordJson === null
          ? null
          : // Null as well if replacements have made it too large.
            encodeRecord(await redactValueInSlices(JSON.parse(recordJson), redact)),
    },
  };
}
