import { mapInSlices } from '../../platform/time-slice.ts';
import { MAX_TEXT } from '../../shared/text-limits.ts';
import { SUPPRESSED } from '../privacy/person.ts';
import { cutTo } from '../privacy/replacements.ts';
import type { Suppressor } from '../privacy/suppressor.ts';
import type { ConversationDoc } from './conversations.model.ts';
import { type Identity, MAX_MESSAGE_TEXT } from './conversations.types.ts';
import type { ImportedConversation } from './import/import-line.ts';

type TextOf = <T extends string | null>(text: T) => T;

/** Returns what is stored of a text of a suppressed person: nothing that the person wrote. */
const suppressedText: TextOf = (text) => (text === null ? text : SUPPRESSED) as typeof text;

const redactedText =
  (suppressor: Suppressor | null, max: number): TextOf =>
  (text) =>
    (text === null || !suppressor ? text : cutTo(max, suppressor.redact(text))) as typeof text;

/**
 * Returns how texts are stored: labels, such as goals, without contacts and names of suppressed people, and free text of a
 * suppressed person's conversation not at all.
 */
export const textsOf = (
  { visitorId }: Pick<ConversationDoc, 'visitorId'>,
  suppressor: Suppressor | null,
): { label: TextOf; free: TextOf } => ({
  label: redactedText(suppressor, MAX_TEXT),
  free: visitorId === SUPPRESSED ? suppressedText : redactedText(suppressor, MAX_MESSAGE_TEXT),
});

/** Returns messages with their texts as they are stored. Yields between long texts, which are searched one by one. */
export const withFreeTexts = async <M extends { text: string }>(
  conversation: Pick<ConversationDoc, 'visitorId'>,
  messages: M[],
  suppressor: Suppressor | null,
): Promise<M[]> => {
  if (!suppressor) return messages;
  const { free } = textsOf(conversation, suppressor);
  return mapInSlices(messages, (message) => ({ ...message, text: free(message.text) }));
};

/** Returns true if an identity is a suppressed person's. */
export const isSuppressedIdentity = (
  identity: Pick<Identity, 'resolvedPersonId' | 'email'> | null,
  suppressor: Suppressor | null,
): boolean => identity !== null && (suppressor?.isSuppressed(identity) ?? false);

/** Returns an identity with its texts as they are stored. */
export const withLabels = <I extends Pick<Identity, 'company' | 'jobTitle'>>(
  identity: I,
  label: TextOf,
): I => ({
  ...identity,
  company: label(identity.company),
  jobTitle: label(identity.jobTitle),
});

/** Returns an imported conversation without what names a suppressed person. */
export async function withoutSuppressed(
  imported: ImportedConversation,
  suppressor: Suppressor,
): Promise<ImportedConversation> {
  const { visitorId, identity, goal, messages, conversion } = imported;
  const isSuppressed = suppressor.isSuppressed({ visitorId }) || isSuppressedIdentity(identity, suppressor);
  const stored = isSuppressed ? SUPPRESSED : visitorId;
  const { label } = textsOf({ visitorId: stored }, suppressor);
  return {
    ...imported,
    visitorId: stored,
    identity: isSuppressed ? null : identity && withLabels(identity, label),
    goal: label(goal),
    messages: await withFreeTexts({ visitorId: stored }, messages, suppressor),
    conversion: conversion && {
      ...conversion,
      goal: label(conversion.goal),
      type: label(conversion.type),
    },
  };
}
