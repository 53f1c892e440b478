import type { Deprecation } from '../../../schema/rest-route.ts';

/** Descriptions of the headers, for OpenAPI. */
export const DEPRECATION_HEADERS = {
  Deprecation: 'Time of the deprecation, as `@` and Unix seconds (RFC 9745).',
  Sunset: 'Time of the removal, as an HTTP date (RFC 8594).',
  Link: 'Page with the replacement (`rel="deprecation"`).',
} as const;

const midnight = (date: string): Date => {
  const at = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) throw new Error(`Deprecation date ${date} must have the form 2026-11-30.`);
  return at;
};

/** Returns the headers of every response of a deprecated route, by name. */
export const deprecationHeaders = ({ since, sunset, link }: Deprecation) => ({
  Deprecation: `@${midnight(since).getTime() / 1000}`,
  ...(sunset && { Sunset: midnight(sunset).toUTCString() }),
  Link: `<${link}>; rel="deprecation"; type="text/html"`,
});
