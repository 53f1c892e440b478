import type { RequestOptions } from 'node:https';
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import type { Progress, ProgressTask } from './download-progress.ts';

/** Silence after which a download is given up; below the 10 s that the contract allows for failing over. */
const STALL_MS = 8_000;

interface OfficialDownloadOptions {
  /** An empty directory to work in; archive and binary are left there. */
  dir: string;
  progress: Progress;
  /** Milliseconds without a byte after which the download is given up. */
  stallMs?: number;
}

/**
 * Fetches MongoDB's own archive for this system as mongodb-memory-server does it: system detection, address
 * (its `MONGOMS_*` variables hold, a mirror for instance), proxy, MD5 check, unpacking.
 * @returns path of the unpacked `mongod`
 * @throws Error when it is refused, or silent for `stallMs`; one that makes progress takes the time it needs
 */
export async function downloadOfficial({ dir, progress, stallMs = STALL_MS }: OfficialDownloadOptions) {
  const options = await DryMongoBinary.generateOptions();
  const task = progress.start(`Downloading MongoDB ${options.version}`);
  try {
    return await new Download(
      { ...options, downloadDir: dir, checkMD5: true },
      task,
      stallMs,
    ).getMongodPath();
  } finally {
    task.stop();
  }
}

class Download extends MongoBinaryDownload {
  readonly #task: ProgressTask;
  readonly #stallMs: number;
  #stall: NodeJS.Timeout | undefined;

  constructor(
    options: ConstructorParameters<typeof MongoBinaryDownload>[0],
    task: ProgressTask,
    stallMs: number,
  ) {
    super(options);
    this.#task = task;
    this.#stallMs = stallMs;
  }

  /**
   * The library verifies no certificate unless npm's `strict-ssl` is in the environment, tries three times
   * with growing pauses, and allows a minute of silence; what comes here is executed, and has a stand-in.
   */
  override async httpDownload(url: URL, options: RequestOptions, location: string, temporary: string) {
    const abort = new AbortController();
    const silent = new Promise<never>((_resolve, reject) => {
      this.#stall = setTimeout(() => {
        reject(new Error(`nothing received from ${url.host} for ${this.#stallMs / 1000} s`));
        abort.abort();
      }, this.#stallMs);
    });
    const strict = { ...options, rejectUnauthorized: true, signal: abort.signal };
    try {
      return await Promise.race([super.httpDownload(url, strict, location, temporary, 1), silent]);
    } finally {
      clearTimeout(this.#stall);
    }
  }

  /** Called with every chunk; the library would print to standard output. */
  override printDownloadProgress(chunk: { length: number }): void {
    this.#stall?.refresh();
    this.dlProgress.current += chunk.length;
    this.#task.update(this.dlProgress.current, this.dlProgress.length);
  }
}
