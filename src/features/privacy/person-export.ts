import type { ExportWindow } from './export-source.ts';

/** Position in what a person's export has of a collection: first what their conversations have, then the rest. */
export interface PersonalPosition {
  isOfConversations: boolean;
  after: unknown;
}

interface Passes {
  /** Reads the next window of what the person's conversations have. */
  ofConversations(after: unknown): Promise<ExportWindow>;
  /** Reads the next window of the rest. */
  ofOthers(after: unknown): Promise<ExportWindow>;
}

/** Reads the next window of the two passes. */
export async function readOfPerson(
  position: PersonalPosition | null,
  { ofConversations, ofOthers }: Passes,
): Promise<ExportWindow> {
  const { isOfConversations, after } = position ?? { isOfConversations: true, after: null };
  if (isOfConversations) {
    const { rows, next } = await ofConversations(after);
    return { rows, next: { isOfConversations: next !== null, after: next } };
  }
  const { rows, next } = await ofOthers(after);
  return { rows, next: next === null ? null : { isOfConversations, after: next } };
}
