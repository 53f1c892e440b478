interface CurlRequest {
  url: string;
  headers: readonly { name: string; value: string }[];
  body: string;
}

/** Quotes text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a command that repeats a request. Masked values are to be replaced before it runs. */
export const curlCommand = ({ url, headers, body }: CurlRequest): string =>
  [
    `curl -X POST ${quoted(url)}`,
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
