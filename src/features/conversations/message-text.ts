import { jsonTextBytes } from '../../platform/json-size.ts';

/** Maximum length of a message's text in characters (contract 4). */
export const MAX_MESSAGE_TEXT = 32_768;

/** Returns the size of messages' texts as JSON. */
export const textBytesOf = (messages: readonly { text: string }[]): number =>
  messages.reduce((sum, { text }) => sum + jsonTextBytes(text), 0);
