/** Longest time limit of an attempt. Seconds. */
export const MAX_TIMEOUT_SECONDS = 30;

/** Largest values of a rate limit; a period is at most a day. */
export const MAX_RATE = { count: 10_000, perSeconds: 86_400 } as const;

/** Maximum number of custom headers, and of characters in the name and the value of a header. */
export const MAX_HEADERS = 10;
export const MAX_HEADER_NAME = 100;
export const MAX_HEADER_VALUE = 4_096;

/** Maximum length of the secret of an OAuth client, and of the scope and the audience of its tokens. */
export const MAX_CLIENT_SECRET = 4_096;
export const MAX_TOKEN_PARAMETER = 1_000;

/** Days before its expiry from which the log and the console warn of a client certificate. */
export const CERTIFICATE_WARNING_DAYS = 30;
