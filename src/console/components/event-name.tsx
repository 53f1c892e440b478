import { Fragment } from 'react';

/** Width of a column that has the names of the service's own events in one line. */
export const EVENT_COLUMN_PX = 210;

/** Name of an event type. A narrow cell breaks it after a dot or an underscore, if its parts fit. */
export const EventName = ({ children: name }: { children: string }) =>
  [...name.matchAll(/[^._]*[._]+|[^._]+/g)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
