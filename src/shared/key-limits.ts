/** Parts of the API that a read or write key can be limited to. */
export const KEY_RESOURCES = ['webhooks', 'conversations', 'meetings', 'events', 'drift'] as const;
export type KeyResource = (typeof KEY_RESOURCES)[number];

/** Only an active key is accepted. */
export const KEY_STATES = ['active', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Maximum overlap of a rotation of an API key: 30 days. */
export const MAX_KEY_OVERLAP_SECONDS = 2_592_000;

/** Maximum length of the name of an API key, in characters. */
export const MAX_KEY_NAME = 100;

/** Maximum number of client networks of an API key. */
export const MAX_KEY_NETWORKS = 50;
