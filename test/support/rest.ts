import request from 'supertest';

/** Response to a request: its status, headers and text. */
export interface RestResponse {
  status: number;
  headers: Headers;
  /** Decompressed body. */
  text: string;
}

export interface RestRequest {
  /** Sent as `Authorization: Bearer`; absent, null or empty: no such header. */
  key?: string | null;
  /** Strings and bytes are sent unchanged, everything else as JSON; absent: no body. */
  body?: unknown;
  /** Header fields, which override those that `key` and `body` imply. */
  headers?: Record<string, string>;
}

/** Sends one request to a running server and reads the response. Redirects are not followed. */
export async function sendRest(
  url: string,
  method: string,
  path: string,
  { key, body, headers = {} }: RestRequest = {},
): Promise<RestResponse> {
  const pending = request(url)
    [method.toLowerCase() as 'get'](path)
    .ok(() => true)
    // Supertest would parse the body by its type, and fail on a body that the test wants to see.
    .serialize((data) => data)
    .buffer(true)
    .parse((response, done) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => done(null, text));
    });
  if (key) pending.set('authorization', `Bearer ${key}`);
  if (body !== undefined) pending.set('content-type', 'application/json');
  pending.set(headers);
  if (body !== undefined) pending.send(bytesOf(body));
  const { status, headers: fields, body: text } = await pending;
  return {
    status,
    headers: new Headers(fields as Record<string, string>),
    text: typeof text === 'string' ? text : '',
  };
}

function bytesOf(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
