/**
 * Returns the size of a test whose result depends on chance, or that is slow: the number of its kills, rows or events.
 * The small one runs in the suite; `FULL_SIZE=on` selects the full one.
 */
export const sizeOf = ({ small, full }: { small: number; full: number }): number =>
  process.env.FULL_SIZE === 'on' ? full : small;
