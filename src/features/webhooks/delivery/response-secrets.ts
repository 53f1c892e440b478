import { type CustomHeaders, MASK } from '../endpoints/custom-headers.ts';
import type { EndpointResponse } from './endpoint-requests.ts';

/** A shorter value is no secret, and is part of other words. Characters. */
const MIN_CHARACTERS = 6;

/** Custom headers whose values are no secrets by their nature, and occur in ordinary responses (contract 5). */
const PUBLIC_REQUEST_HEADER = /^(?:accept(?:-.*)?|cache-control|pragma|prefer)$/i;
/** Header of a response that has no secret, and whose value a custom header can have by chance. */
const PUBLIC_RESPONSE_HEADER = 'content-type';

/** HMACs and Ed25519 signatures in the signature headers: hexadecimal or base64. */
const SIGNATURE = /[A-Za-z0-9+/]{43}[A-Za-z0-9+/=]*/g;

interface Notation {
  /** Every escape has this character. */
  mark: string;
  /** A character, or its escape. */
  characters: RegExp;
  /** The beginning of an escape at the end of a cut text. */
  cutEscape: RegExp;
}

/** How a receiver may write a value: as a string of JSON, or in a URL. */
const NOTATIONS: readonly Notation[] = [
  { mark: '\\', characters: /\\(?:u[0-9a-f]{4}|["\\/])|./gis, cutEscape: /\\(?:u[0-9a-f]{0,3})?$/i },
  { mark: '%', characters: /%[0-9a-f]{2}|./gis, cutEscape: /%[0-9a-f]?$/i },
];

type Range = readonly [from: number, to: number];

interface Search {
  secrets: readonly string[];
  /** True if the text may end within a secret. */
  isCut: boolean;
}

function unescaped(character: string): string {
  if (character.length === 1) return character;
  if (character.length === 2) return character.slice(1);
  return String.fromCharCode(Number.parseInt(character.replace(/^(?:%|\\u)/i, ''), 16));
}

/** Returns the texts to mask for a value: itself, and the credentials after a scheme. */
function textsOf(value: string): string[] {
  const [, credentials = value] = /^\S+ (\S+)$/.exec(value) ?? [];
  return [value, credentials];
}

/** Returns where a text shows a secret; of a cut text, also its end if a secret begins so. */
function rangesOf(text: string, { secrets, isCut }: Search): Range[] {
  const ranges: Range[] = [];
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      ranges.push([at, at + secret.length]);
    if (!isCut) continue;
    for (let length = Math.min(secret.length, text.length); length >= MIN_CHARACTERS; length -= 1)
      if (text.endsWith(secret.slice(0, length))) {
        ranges.push([text.length - length, text.length]);
        break;
      }
  }
  return ranges;
}

/** As `rangesOf`, for a text in a notation. */
function escapedRangesOf(
  text: string,
  { characters: pattern, cutEscape }: Notation,
  search: Search,
): Range[] {
  const characters = (search.isCut ? text.replace(cutEscape, '') : text).match(pattern) ?? [];
  const starts: number[] = [];
  let length = 0;
  for (const character of characters) {
    starts.push(length);
    length += character.length;
  }
  const positionOf = (index: number): number => starts[index] ?? text.length;
  return rangesOf(characters.map(unescaped).join(''), search).map(
    ([from, to]) => [positionOf(from), positionOf(to)] as const,
  );
}

function mask(text: string, search: Search): string {
  const ranges = rangesOf(text, search);
  for (const notation of NOTATIONS)
    if (text.includes(notation.mark)) ranges.push(...escapedRangesOf(text, notation, search));
  let masked = '';
  let end = 0;
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    // One secret can contain, or overlap, another.
    if (from >= end) masked += text.slice(end, from) + MASK;
    end = Math.max(end, to);
  }
  return masked + text.slice(end);
}

interface SentHeaders {
  custom: CustomHeaders;
  /** Headers that authenticate the delivery. */
  signed: Readonly<Record<string, string>>;
}

/** Returns what of the headers of a request answers mask: values of custom headers, and signatures. */
export const secretsOf = ({ custom, signed }: SentHeaders): string[] => [
  ...Object.entries(custom).flatMap(([name, value]) => (PUBLIC_REQUEST_HEADER.test(name) ? [] : [value])),
  ...Object.values(signed).flatMap((value) => value.match(SIGNATURE) ?? []),
];

/**
 * Returns a response with `***` for the secrets of its request: some receivers return the headers that they get, as
 * text, JSON or form data, and what they return is stored and shown.
 *
 * @param values values of the request that answers mask
 */
export function withoutSecrets(response: EndpointResponse, values: readonly string[]): EndpointResponse {
  if (!response.ok || values.length === 0) return response;
  const { body, truncated, allHeaders = {} } = response;
  const secrets = [...new Set(values.flatMap(textsOf))].filter(({ length }) => length >= MIN_CHARACTERS);
  return {
    ...response,
    body: mask(body, { secrets, isCut: truncated }),
    allHeaders: Object.fromEntries(
      Object.entries(allHeaders).map(([name, value]) => [
        name,
        name === PUBLIC_RESPONSE_HEADER
          ? value
          : value && [value].flat().map((text) => mask(text, { secrets, isCut: false })),
      ]),
    ),
  };
}
