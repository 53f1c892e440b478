/**
 * Frees the memory of a buffer immediately. The garbage collector schedules itself by the size of its own heap, where
 * dead buffers of tens of megabytes count for next to nothing and accumulate. The buffer must have no other users.
 */
export function releaseBuffer(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
