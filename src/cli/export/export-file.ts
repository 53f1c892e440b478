import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, type FileHandle, open, rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../errors/app-error.ts';
import { notWritable } from '../output/not-writable.ts';

/** Content of a file of an export. */
export interface FileState {
  rows: number;
  bytes: number;
  /** SHA-256 of these bytes, in hexadecimal. */
  sha256: string;
}

/** Bytes that are written together. */
const WRITE_BYTES = 256 * 1024;

/** Returns the name of a file while it is not complete. */
export const partialPath = (path: string): string => `${path}.partial`;

const changed = (path: string): AppError =>
  new AppError('CONFLICT', `${path} is not as the export has written it. Export to an empty folder.`);
const deleted = (path: string, cause: unknown): AppError =>
  new AppError('CONFLICT', `${path} was deleted. Export to an empty folder.`, { cause });

/** A file of an export, which has another name until it is complete. */
export class ExportFile {
  readonly #file: FileHandle;
  readonly #hash: Hash;
  #rows: number;
  #bytes: number;
  #text = '';

  private constructor(file: FileHandle, hash: Hash, { rows, bytes }: Pick<FileState, 'rows' | 'bytes'>) {
    this.#file = file;
    this.#hash = hash;
    this.#rows = rows;
    this.#bytes = bytes;
  }

  /**
   * Opens a file to continue after what it had when its state was recorded; what was written later is removed.
   *
   * @param state null to create the file
   * @throws AppError if the file is not as it was written
   */
  static async open(path: string, state: FileState | null): Promise<ExportFile> {
    const file = await open(partialPath(path), state ? 'r+' : 'w', 0o600).catch(
      (error: NodeJS.ErrnoException) => {
        throw notWritable(path, error);
      },
    );
    // A file that a killed export has left may have another mode.
    await file.chmod(0o600);
    const hash = createHash('sha256');
    if (!state) return new ExportFile(file, hash, { rows: 0, bytes: 0 });
    if (state.bytes > 0) {
      const stored = file.createReadStream({ start: 0, end: state.bytes - 1, autoClose: false });
      for await (const chunk of stored) hash.update(chunk as Buffer);
    }
    if (hash.copy().digest('hex') !== state.sha256) {
      await file.close();
      throw changed(partialPath(path));
    }
    await file.truncate(state.bytes);
    return new ExportFile(file, hash, state);
  }

  /** @param rows number of rows in the text */
  async write(text: string, rows: number): Promise<void> {
    this.#text += text;
    this.#rows += rows;
    if (this.#text.length >= WRITE_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.#hash.update(bytes);
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, from, bytes.length - from, this.#bytes + from);
      from += bytesWritten;
    }
    this.#bytes += bytes.length;
  }

  /** Makes what was written durable. */
  async state(): Promise<FileState> {
    await this.#flush();
    await this.#file.datasync();
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  close = (): Promise<void> => this.#file.close();

  /**
   * Gives a closed file its final name; a repetition after a crash changes nothing.
   *
   * @throws AppError `CONFLICT` if the file was deleted
   */
  static async complete(path: string): Promise<void> {
    await rename(partialPath(path), path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw notWritable(path, error);
      await access(path).catch((cause: unknown) => {
        throw deleted(path, cause);
      });
    });
  }

  /** Compares a complete file with its digest. @throws AppError `CONFLICT` if it was changed or deleted */
  static async verify(path: string, { sha256 }: FileState): Promise<void> {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'ENOENT' ? deleted(path, cause) : cause;
    });
    if (hash.digest('hex') !== sha256) throw changed(path);
  }
}
