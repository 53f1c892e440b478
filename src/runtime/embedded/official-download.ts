import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { basename } from 'node:path';
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { checkSha256 } from './check-sha256.ts';
import type { Progress, ProgressTask } from './download-progress.ts';

/** Time without data after which a download is aborted: less than the 10 s of the contract for trying the next source. */
const STALL_MS = 8_000;

interface OfficialDownloadOptions {
  /** Empty working directory; the archive and the binary stay in it. */
  dir: string;
  progress: Progress;
  /** Time without data after which the download is aborted. */
  stallMs?: number;
}

/**
 * Downloads the official MongoDB archive for this system with mongodb-memory-server: platform detection, URL and
 * mirror (its `MONGOMS_*` variables apply), proxy, unpacking. The archive is checked by its SHA-256.
 * @returns path of the unpacked `mongod`
 * @throws Error if the download fails or receives no data for `stallMs`; the total duration is not limited
 */
export async function downloadOfficial({ dir, progress, stallMs = STALL_MS }: OfficialDownloadOptions) {
  const options = await DryMongoBinary.generateOptions();
  const task = progress.start(`Downloading MongoDB ${options.version}`);
  try {
    return await new Download({ ...options, downloadDir: dir }, task, stallMs).getMongodPath();
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
   * `strict-ssl` setting of npm is in the environment, although the file is executed later, and it makes three attempts
   * with a timeout of one minute each, although there is another source.
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

  /** Compares the archive with the SHA-256 that MongoDB publishes beside it, in place of the MD5 of the library. */
  override async makeMD5check(md5Url: string, archive: string): Promise<true> {
    const published = await readFile(await this.download(md5Url.replace(/\.md5$/, '.sha256')), 'utf8');
    const [expected] = /^[0-9a-f]{64}(?=\s|$)/i.exec(published) ?? [];
    if (!expected) throw new Error(`the server has no SHA-256 of ${basename(archive)}`);
    await checkSha256(archive, expected.toLowerCase());
    return true;
  }

  /** Reports each chunk to the progress display, where the library would print to stdout. */
  override printDownloadProgress(chunk: { length: number }): void {
    this.#stall?.refresh();
    this.dlProgress.current += chunk.length;
    this.#task.update(this.dlProgress.current, this.dlProgress.length);
  }
}
