/** Characters of a key, which travels in a header: visible ASCII without spaces. */
export const PROVIDER_KEY_PATTERN = /^[\x21-\x7e]*$/;
