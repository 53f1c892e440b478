import { SingleBar } from 'cli-progress';

/** One piece of work whose progress is shown. */
export interface ProgressTask {
  /** Bytes done so far and, as soon as it is known, of how many. */
  update(doneBytes: number, totalBytes?: number): void;
  /** Ends the display, whatever came of the work. */
  stop(): void;
}

/** Shows what takes longer than a moment, such as a download. */
export interface Progress {
  start(label: string): ProgressTask;
}

interface ProgressOptions {
  /** Where to show it; standard error by default, so that `--json` keeps standard output to itself. */
  stream?: NodeJS.WritableStream & { isTTY?: boolean };
  /** Milliseconds between two lines where no terminal is attached. */
  lineInterval?: number;
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

/** A bar on a terminal, a line every few seconds elsewhere (contract section 1). */
export function createProgress({
  stream = process.stderr,
  lineInterval = 3000,
}: ProgressOptions = {}): Progress {
  return { start: (label) => (stream.isTTY ? bar(stream, label) : lines(stream, label, lineInterval)) };
}

function bar(stream: NodeJS.WritableStream, label: string): ProgressTask {
  const display = new SingleBar({
    stream,
    format: (_options, { value, total }) => {
      const share = Math.min(1, value / total);
      const drawn = '='.repeat(Math.round(share * 30)).padEnd(30);
      return `${label} [${drawn}] ${megabytes(value)} of ${total > 1 ? megabytes(total) : '?'} MB`;
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

function lines(stream: NodeJS.WritableStream, label: string, interval: number): ProgressTask {
  let state = '';
  const timer = setInterval(() => stream.write(`${label}: ${state || 'waiting'}\n`), interval);
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
