import { SingleBar } from 'cli-progress';

export interface ProgressTask {
  /** @param totalBytes undefined until the size is known */
  update(doneBytes: number, totalBytes?: number): void;
  /** Removes the display, after success and after failure. */
  stop(): void;
}

export interface Progress {
  start(label: string): ProgressTask;
}

interface ProgressOptions {
  /** Output stream; stderr by default, because `--json` reserves stdout. */
  stream?: NodeJS.WritableStream & { isTTY?: boolean };
  /** Interval between two lines if no terminal is attached. */
  lineIntervalMs?: number;
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

/** Creates a progress bar for terminals, or periodic lines for other streams (contract 1). */
export function createProgress({
  stream = process.stderr,
  lineIntervalMs = 3000,
}: ProgressOptions = {}): Progress {
  return { start: (label) => (stream.isTTY ? bar(stream, label) : lines(stream, label, lineIntervalMs)) };
}

function bar(stream: NodeJS.WritableStream, label: string): ProgressTask {
  const display = new SingleBar({
    stream,
    format: (_options, { value, total }) => {
      const share = Math.min(1, value / total);
      const filled = '='.repeat(Math.round(share * 30)).padEnd(30);
      return `${label} [${filled}] ${megabytes(value)} of ${total > 1 ? megabytes(total) : '?'} MB`;
    },
    hideCursor: true,
    clearOnComplete: true,
  });
  display.start(1, 0);
  return {
    update(doneBytes, totalBytes) {
      if (totalBytes) display.setTotal(totalBytes);
      display.update(doneBytes);
    },
    stop: () => display.stop(),
  };
}

function lines(stream: NodeJS.WritableStream, label: string, intervalMs: number): ProgressTask {
  let state = '';
  const timer = setInterval(() => stream.write(`${label}: ${state || 'waiting'}\n`), intervalMs);
  timer.unref();
  stream.write(`${label} ...\n`);
  return {
    update(doneBytes, totalBytes) {
      state = totalBytes
        ? `${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB (${Math.floor((doneBytes / totalBytes) * 100)} %)`
        : `${megabytes(doneBytes)} MB`;
    },
    stop: () => clearInterval(timer),
  };
}
