import type { Block } from './samples/samples.types.ts';

/**
 * Gives memory back at once. Left to the collector, dead buffers of tens of megabytes pile up: it looks at what its
 * own heap holds, which is next to nothing beside them. Only for buffers that nobody else looks at.
 */
export function release(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Gives back the memory of a block's values. */
export function releaseBlock({ columns }: Block): void {
  for (const { numbers, codes } of columns.values()) {
    if (numbers) release(numbers.buffer);
    if (codes) release(codes.buffer);
  }
}
