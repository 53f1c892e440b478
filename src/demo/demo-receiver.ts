import { createServer } from 'node:http';
import { listenOnLoopback } from '../platform/http/listen-on-loopback.ts';

/** Identifies the endpoint of the demo receiver, whose port differs between starts. */
const PATH = '/demo-receiver';
/** The receiver rejects every n-th request. */
const REJECTED_INTERVAL = 3;

/** Returns true for the URL of a demo receiver, from this or an earlier start. */
export const isDemoReceiver = (url: string): boolean => {
  const { hostname, pathname } = new URL(url);
  return hostname === '127.0.0.1' && pathname === PATH;
};

/** Starts a webhook receiver that rejects some requests, so that the demo has retries. */
export async function startDemoReceiver() {
  let requestCount = 0;
  const server = createServer((request, response) => {
    requestCount += 1;
    const isRejected = requestCount % REJECTED_INTERVAL === 0;
    request.resume();
    response.writeHead(isRejected ? 503 : 200).end(isRejected ? 'try again later' : 'ok');
  });
  const { url, stop } = await listenOnLoopback(server, 0);
  return { url: `${url}${PATH}`, stop };
}
