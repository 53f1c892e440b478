import { jsonTextBytes } from '../../platform/json-size.ts';

/** Returns the size of messages' texts as JSON. */
export const textBytesOf = (messages: readonly { text: string }[]): number =>
  messages.reduce((sum, { text }) => sum + jsonTextBytes(text), 0);
