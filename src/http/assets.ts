import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { send } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { ASSET_HEADERS } from './security-headers.ts';

/** A file that a page loads; the same for as long as its path is. */
export interface Asset {
  path: string;
  /** Content type. */
  type: string;
  /** The content, packed. */
  gzip(): Promise<Uint8Array>;
}

/** Serves a file to anybody, packed, unless the client cannot unpack. */
export const assetHandler = ({ type, gzip }: Asset) => {
  const headers = [...ASSET_HEADERS, 'Content-Type', type, 'Vary', 'Accept-Encoding'];
  return async (x: Exchange): Promise<void> => {
    const packed = await gzip();
    if (/\bgzip\b/.test(String(x.req.headers['accept-encoding'] ?? ''))) {
      send(x, 200, [...headers, 'Content-Encoding', 'gzip'], packed);
    } else send(x, 200, headers, await promisify(gunzip)(packed));
  };
};
