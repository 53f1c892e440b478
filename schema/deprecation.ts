/** Announcement that a field or route will be removed (docs/versioning.md). */
export interface Deprecation {
  /** Date of the deprecation, such as `2026-11-30`. */
  since: string;
  /** Date of the removal; absent if it is not decided. */
  sunset?: string;
  /** Page with the replacement, as an absolute URL. */
  link: string;
}

/** Returns the options of a deprecated field. */
export const deprecated = ({ since, sunset, link }: Deprecation) => ({
  deprecationReason: `Deprecated since ${since}${sunset ? `, will be removed on ${sunset}` : ''}. See ${link}`,
});
