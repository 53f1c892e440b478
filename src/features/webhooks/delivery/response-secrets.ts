import { MASK } from '../endpoints/custom-headers.ts';
import type { EndpointResponse } from './endpoint-requests.ts';

/** A shorter value is no secret, and is part of other words. Characters. */
const MIN_CHARACTERS = 6;

/** Returns the texts to mask for a value: itself, the credentials after a scheme, and each as a string of JSON. */
function textsOf(value: string): string[] {
  const [, credentials = value] = /^\S+ (\S+)$/.exec(value) ?? [];
  return [value, credentials].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
}

/** Masks the texts, also the beginning of one where the end of a cut text has it. */
function mask(shown: string, texts: readonly string[], isCut: boolean): string {
  const masked = texts.reduce((text, secret) => text.replaceAll(secret, MASK), shown);
  if (!isCut) return masked;
  for (const secret of texts)
    for (let length = Math.min(secret.length, masked.length); length >= MIN_CHARACTERS; length -= 1)
      if (masked.endsWith(secret.slice(0, length))) return masked.slice(0, -length) + MASK;
  return masked;
}

/**
 * Returns a response with `***` for the secrets of its request: some receivers return the headers that they get, and what
 * they return is stored and shown.
 *
 * @param values headers of the request that answers mask
 */
export function withoutSecrets(response: EndpointResponse, values: readonly string[]): EndpointResponse {
  if (!response.ok || values.length === 0) return response;
  const { body, truncated, allHeaders = {} } = response;
  const texts = [...new Set(values.flatMap(textsOf))]
    .filter(({ length }) => length >= MIN_CHARACTERS)
    // One can contain another.
    .sort((a, b) => b.length - a.length);
  return {
    ...response,
    body: mask(body, texts, truncated),
    allHeaders: Object.fromEntries(
      Object.entries(allHeaders).map(([name, value]) => [
        name,
        value && [value].flat().map((text) => mask(text, texts, false)),
      ]),
    ),
  };
}
