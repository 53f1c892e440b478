import { releaseBuffer } from '../../platform/release-buffer.ts';
import type { Block } from './samples.types.ts';

/** Frees the memory of a block's values. */
export function releaseBlock({ columns }: Block): void {
  for (const { numbers, codes } of columns.values()) {
    if (numbers) releaseBuffer(numbers.buffer);
    if (codes) releaseBuffer(codes.buffer);
  }
}
