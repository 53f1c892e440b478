import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** Content codings in the service's order of preference, for a client that accepts several equally. */
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

/** Size of the smallest body that is compressed: below, headers and packets outweigh the gain. */
const MIN_BYTES = 1_024;
/** Compresses JSON better than gzip, in about the same time. */
const BROTLI_QUALITY = 5;

// Asynchronous: zlib compresses in the thread pool.
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
const COMPRESS: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes) => compressGzip(bytes),
};

/** The second parameter is missing in the types of the package. */
type Encodings = (available: string[], options: { preferred: readonly string[] }) => string[];

/** Returns the coding that the client prefers (`Accept-Encoding`, RFC 9110 section 12.5.3); null for none. */
export function acceptedCoding(req: IncomingMessage, available: readonly Coding[] = CODINGS): Coding | null {
  if (req.headers['accept-encoding'] === undefined) return null;
  const negotiator = new Negotiator(req);
  const encodings = negotiator.encodings.bind(negotiator) as Encodings;
  const [first] = encodings([...available, 'identity'], { preferred: available });
  return available.find((coding) => coding === first) ?? null;
}

interface EncodedBody {
  body: string | Uint8Array;
  /** Null if the body is not compressed. */
  coding: Coding | null;
}

/** Compressed forms of one content, filled on first use. */
export type CompressedForms = Map<Coding, Promise<Buffer>>;

/**
 * Compresses a body in a coding that the client accepts, unless it is small or does not become smaller.
 * @param forms cached forms of this content, if it is sent repeatedly
 */
export async function encodeBody(
  req: IncomingMessage,
  text: string,
  forms: CompressedForms = new Map(),
): Promise<EncodedBody> {
  const plain = { body: text, coding: null };
  const coding = acceptedCoding(req);
  if (!coding || Buffer.byteLength(text) <= MIN_BYTES) return plain;
  const compressed = forms.get(coding) ?? COMPRESS[coding](Buffer.from(text));
  forms.set(coding, compressed);
  const body = await compressed;
  return body.length < Buffer.byteLength(text) ? { body, coding } : plain;
}
