/** A worker exited before it served; it has written the reason to stderr. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly exitCode: number;

  constructor(worker: number, exitCode: number, times: number) {
    const repeatedly = times > 1 ? ` ${times} times in succession` : '';
    super(`Worker ${worker} failed to start${repeatedly}; its last message states the reason.`);
    this.exitCode = exitCode;
  }
}
