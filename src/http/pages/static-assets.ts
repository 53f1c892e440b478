import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { AppError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';
import { ASSET_HEADERS } from '../response/security-headers.ts';
import { send } from '../response/send-response.ts';

/** A file that a page loads; the same for as long as its path is. */
export interface Asset {
  path: string;
  /** Content type. */
  type: string;
  /** The content, packed. */
  gzip(): Promise<Uint8Array>;
}

/** A file on disk as an asset: read and packed on first use. */
export function fileAsset(path: string, type: string, file: () => string): Asset {
  let packed: Promise<Uint8Array> | undefined;
  return {
    path,
    type,
    gzip() {
      packed ??= readFile(file()).then((content) => promisify(gzip)(content));
      return packed;
    },
  };
}

/** Serves a file to anybody, packed, unless the client cannot unpack. */
export const assetHandler = ({ type, gzip }: Asset) => {
  const headers = [...ASSET_HEADERS, 'Content-Type', type, 'Vary', 'Accept-Encoding'];
  return async (x: Exchange): Promise<void> => {
    const packed = await gzip().catch((error: unknown) => {
      // A newer version has taken its place on disk since this process began.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new AppError('NOT_FOUND', 'There is nothing at this address.');
      throw error;
    });
    if (/\bgzip\b/.test(String(x.req.headers['accept-encoding'] ?? ''))) {
      send(x, 200, [...headers, 'Content-Encoding', 'gzip'], packed);
    } else send(x, 200, headers, await promisify(gunzip)(packed));
  };
};
