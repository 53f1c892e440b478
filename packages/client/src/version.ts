/** Version of this package, sent with each request. */
export const VERSION = '0.1.0';
