import { readFile } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGunzip, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { acceptedCoding } from '../response/content-encoding.ts';
import { noSuchPath } from '../response/routing-errors.ts';
import { ASSET_HEADERS } from '../response/security-headers.ts';

/** Public file of a page; its content never changes under the same path. */
export interface Asset {
  path: string;
  /** Content type. */
  type: string;
  /** Returns the compressed content. */
  gzip(): Promise<Uint8Array>;
  /** Returns the content compressed for a client that accepts `br`; absent if it is stored with gzip only. */
  brotli?(): Promise<Uint8Array>;
}

/** Compresses a file once: smaller than gzip, in a time of the same order. */
const BROTLI_QUALITY = 9;

interface FileAssetOptions {
  path: string;
  type: string;
  /** Resolves the file name on first use. */
  file(): string;
}

/** An asset from disk, read and compressed on first use. */
export function fileAsset({ path, type, file }: FileAssetOptions): Asset {
  let gzipped: Promise<Uint8Array> | undefined;
  let brotlied: Promise<Uint8Array> | undefined;
  return {
    path,
    type,
    gzip() {
      gzipped ??= readFile(file()).then((content) => promisify(gzip)(content));
      return gzipped;
    },
    brotli() {
      brotlied ??= readFile(file()).then((content) =>
        promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
      );
      return brotlied;
    },
  };
}

/** Reads the size of the content from the end of a gzip file (RFC 1952 section 2.3.1). */
const unpackedSize = ({ buffer, byteOffset, byteLength }: Uint8Array): number =>
  new DataView(buffer, byteOffset, byteLength).getUint32(byteLength - 4, true);

/** Decompresses as fast as the client reads, so that no unpacked copy is held. */
const unpack = (compressed: Uint8Array): Readable =>
  pipeline(Readable.from([compressed]), createGunzip(), () => {});

/** Adds the route of an asset: compressed unless the client accepts neither brotli nor gzip. */
export function addAsset(app: FastifyInstance, { path, type, gzip, brotli }: Asset): void {
  app.get(path, { config: { cors: false } }, async ({ raw, scope }, reply) => {
    const coding = acceptedCoding(raw, brotli ? ['br', 'gzip'] : ['gzip']);
    const compress = coding === 'br' && brotli ? brotli : gzip;
    const compressed = await compress().catch((error: unknown) => {
      // A newer build replaced the file after this process started.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noSuchPath();
      throw error;
    });
    reply.headers(ASSET_HEADERS).header('content-type', type).header('vary', 'Accept-Encoding');
    if (coding) {
      reply.header('content-encoding', coding);
      scope.isBodyShared = true;
      return compressed;
    }
    reply.header('content-length', unpackedSize(compressed));
    return unpack(compressed);
  });
}
