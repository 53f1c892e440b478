import { hash } from 'node:crypto';

/** An entity tag (RFC 9110 section 8.8.3); a weak one identifies the content, not its bytes. */
interface EntityTag {
  weak: boolean;
  opaque: string;
}

const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
const HASH_CHARACTERS = 22;

const contentHash = (content: string): string =>
  hash('sha256', content, 'base64url').slice(0, HASH_CHARACTERS);

/** Returns the weak tag of a content: it stays the same if the content is compressed. */
export const contentTag = (content: string): string => `W/"${contentHash(content)}"`;

/**
 * Returns the strong tag of a resource with a revision, which `revisionsOf` reads. The hash changes the tag when another
 * version of the service represents the same revision differently.
 */
export const revisionTag = (revision: number, content: string): string =>
  `"${revision}-${contentHash(content)}"`;

const parseTags = (header: string): EntityTag[] =>
  [...header.matchAll(ENTITY_TAG)].map(([, weak, opaque = '']) => ({ weak: weak !== undefined, opaque }));

/** Returns true if `If-None-Match` names the tag, compared weakly (RFC 9110 section 13.1.2). */
export const namesTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || parseTags(header).some(({ opaque }) => tag.endsWith(`"${opaque}"`)));

/**
 * Returns the revisions that the strong tags of `If-Match` name, since weak ones never match (RFC 9110 section 13.1.1);
 * null if it is absent or `*`.
 */
export function revisionsOf(header: string | undefined): number[] | null {
  if (header === undefined || header.trim() === '*') return null;
  return parseTags(header).flatMap(({ weak, opaque }) => {
    const revision = /^(\d{1,15})-/.exec(opaque)?.[1];
    return weak || revision === undefined ? [] : [Number(revision)];
  });
}
