import { SingleBar } from 'cli-progress';

/** Progress bar on stderr; displayed only on a terminal. */
export interface ProgressBar {
  update(done: number, total: number, values?: Record<string, string>): void;
  stop(): void;
}

/**
 * @param format `cli-progress` format, appended to the bar and its percentage
 * @param values initial values of the format's placeholders
 */
export function createProgressBar(format: string, values: Record<string, string> = {}): ProgressBar {
  const bar = new SingleBar({
    stream: process.stderr,
    format: `{bar} {percentage} %  ${format}`,
    barCompleteChar: '=',
    barIncompleteChar: ' ',
    barsize: 30,
    clearOnComplete: true,
    // The library's signal handler would prevent Ctrl-C from ending the command.
    gracefulExit: false,
  });
  const shown = process.stderr.isTTY === true;
  if (shown) bar.start(1, 0, values);
  return {
    update(done, total, current = {}) {
      if (!shown) return;
      bar.setTotal(Math.max(1, total));
      bar.update(done, current);
    },
    stop: () => bar.stop(),
  };
}
