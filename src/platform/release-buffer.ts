/**
 * Frees the memory of a buffer immediately. Buffers lie outside the heap, whose size triggers the garbage collector, so
 * unused buffers of tens of megabytes would accumulate. The buffer must have no other users. Idempotent.
 */
export function releaseBuffer(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
