import { Fragment } from 'react';

/** Width of a column that has the names of the service's own events in one line. */
export const EVENT_COLUMN_PX = 210;

/** Parts of a text, each with the separators after it. */
const PARTS = /[^/._:?&=@-]*[/._:?&=@-]+|[^/._:?&=@-]+/g;

/** Text such as an event type, an address or an ID: a narrow cell breaks it after a separator, if its parts fit. */
export const BreakableText = ({ children: text }: { children: string }) =>
  [...text.matchAll(PARTS)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
