/** Default port of the sidecar. */
export const DEFAULT_PORT = 4001;
export const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`;
