/** Maximum length of a string of a client that has no other one (contract 4). */
export const MAX_TEXT = 500;

/** Maximum length of a URL that the service sends requests to (contract 4). */
export const MAX_URL = 2_048;

/** Maximum length of a text that deliveries are searched for. */
export const MAX_DELIVERY_SEARCH = 200;
