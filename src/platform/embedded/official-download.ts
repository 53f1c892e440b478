import type { RequestOptions } from 'node:https';
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import type { Progress, ProgressTask } from './download-progress.ts';

/** Time without data after which a download is aborted; below the 10 s that the contract allows for a failover. */
const STALL_MS = 8_000;

interface OfficialDownloadOptions {
  /** Empty working directory, in which the archive and the binary remain. */
  dir: string;
  progress: Progress;
  /** Time without data after which the download is aborted. */
  stallMs?: number;
}

/**
 * Downloads the official MongoDB archive for this system with mongodb-memory-server: platform detection, URL and
 * mirror (its `MONGOMS_*` variables apply), proxy, MD5 check, unpacking.
 * @returns path of the unpacked `mongod`
 * @throws Error if the download fails or receives no data for `stallMs`; the total duration is not limited
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
   * Downloads once, with certificate verification and a stall timeout. The library verifies certificates only if the
   * `strict-ssl` setting of npm is in the environment, although the file will be executed, and it attempts three times
   * with a timeout of one minute, although there is another source.
   */
  override async httpDownload(url: URL, options: RequestOptions, location: string, temporary: string) {
    const abort = new AbortController();
    const stalled = new Promise<never>((_resolve, reject) => {
      this.#stall = setTimeout(() => {
        reject(new Error(`nothing received from ${url.host} for ${this.#stallMs / 1000} s`));
        abort.abort();
      }, this.#stallMs);
    });
    const strict = { ...options, rejectUnauthorized: true, signal: abort.signal };
    try {
      return await Promise.race([super.httpDownload(url, strict, location, temporary, 1), stalled]);
    } finally {
      clearTimeout(this.#stall);
    }
  }

  /** Reports each chunk to the progress display; the library would print to stdout. */
  override printDownloadProgress(chunk: { length: number }): void {
    this.#stall?.refresh();
    this.dlProgress.current += chunk.length;
    this.#task.update(this.dlProgress.current, this.dlProgress.length);
  }
}
