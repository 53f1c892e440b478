import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Exchange } from '../exchange.ts';
import { noSuchPath } from '../response/routing-errors.ts';
import { ASSET_HEADERS } from '../response/security-headers.ts';
import { sendResponse } from '../response/send-response.ts';

/** Public file of a page; its content never changes under the same path. */
export interface Asset {
  path: string;
  /** Content type. */
  type: string;
  /** Returns the compressed content. */
  gzip(): Promise<Uint8Array>;
}

interface FileAssetOptions {
  path: string;
  type: string;
  /** Resolves the file name on first use. */
  file(): string;
}

/** An asset from disk, read and compressed on first use. */
export function fileAsset({ path, type, file }: FileAssetOptions): Asset {
  let compressed: Promise<Uint8Array> | undefined;
  return {
    path,
    type,
    gzip() {
      compressed ??= readFile(file()).then((content) => promisify(gzip)(content));
      return compressed;
    },
  };
}

/** Serves an asset, compressed unless the client does not accept gzip. */
export const assetHandler = ({ type, gzip }: Asset) => {
  const headers = [...ASSET_HEADERS, 'Content-Type', type, 'Vary', 'Accept-Encoding'];
  return async (x: Exchange): Promise<void> => {
    const compressed = await gzip().catch((error: unknown) => {
      // A newer build replaced the file after this process started.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noSuchPath();
      throw error;
    });
    if (/\bgzip\b/.test(String(x.req.headers['accept-encoding'] ?? ''))) {
      sendResponse(x, { status: 200, headers: [...headers, 'Content-Encoding', 'gzip'], body: compressed });
    } else {
      sendResponse(x, { status: 200, headers, body: await promisify(gunzip)(compressed) });
    }
  };
};
