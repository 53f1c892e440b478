/** Maximum overlap of a rotation of an API key: 30 days. */
export const MAX_KEY_OVERLAP_SECONDS = 2_592_000;
