import { DateTime } from './time.tsx';

/** A time in a message of the service, such as `2026-11-20T14:30:00.000Z`. */
const ISO_TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A message of the service, whose times follow the language and the switches of the console. */
export const TextWithTimes = ({ children }: { children: string }) =>
  children.split(ISO_TIME).map((part, index) =>
    // Every second part is a time.
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message stay at their places
    index % 2 === 1 ? <DateTime key={index} at={part} /> : part,
  );
