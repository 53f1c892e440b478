import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What the proxy does with a CONNECT: opens the tunnel, responds with a status or with bytes, or ends or leaves it. */
export type ProxyBehaviour = 'tunnel' | 'hang' | 'close' | 'close_mid_response' | number | { bytes: string };

interface ConnectRequest {
  /** `host:port`, as the client asked for it. */
  target: string;
  authorization: string | undefined;
}

export interface ConnectProxy {
  port: number;
  /** Value of `OUTBOUND_PROXY` without credentials. */
  url: string;
  requests: ConnectRequest[];
  /** Open connections of clients. */
  open(): number;
  behave(behaviour: ProxyBehaviour | ((request: ConnectRequest) => ProxyBehaviour)): void;
  /** Refuses connections from now on, and closes those that are open. */
  stop(): Promise<void>;
  /** Listens on the same port again. */
  restart(): Promise<void>;
}

interface ProxyOptions {
  /** `user:password` that each request must have; a request without it gets a 407. */
  credentials?: string;
  delayMs?: number;
  /** Addresses of names, as `host:port`, that only the proxy can resolve. */
  names?: Record<string, string>;
}

/** An HTTP proxy on loopback that knows CONNECT alone, until the test is over. */
export async function startConnectProxy(options: ProxyOptions = {}): Promise<ConnectProxy> {
  const { credentials, delayMs = 0, names = {} } = options;
  const requests: ConnectRequest[] = [];
  const sockets = new Set<Socket>();
  let behaviour: ProxyBehaviour | ((request: ConnectRequest) => ProxyBehaviour) = 'tunnel';

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };

  function tunnel(client: Socket, target: string): void {
    const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(names[target] ?? target) ?? [];
    const upstream = connect({ host, port: Number(port) });
    keep(upstream);
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    upstream.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    upstream.once('close', () => client.destroy());
    client.once('close', () => upstream.destroy());
  }

  function answer(client: Socket, head: string): void {
    const [, target = ''] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head) ?? [];
    const authorization = /^proxy-authorization: (.*)$/im.exec(head)?.[1]?.trim();
    const request = { target, authorization };
    requests.push(request);
    if (credentials && authorization !== `Basic ${Buffer.from(credentials).toString('base64')}`) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    const what = typeof behaviour === 'function' ? behaviour(request) : behaviour;
    if (what === 'hang') return;
    if (what === 'tunnel') tunnel(client, target);
    else if (what === 'close') client.destroy();
    else if (what === 'close_mid_response') client.end('HTTP/1.1 20');
    else
      client.end(typeof what === 'number' ? `HTTP/1.1 ${what} No\r\ncontent-length: 0\r\n\r\n` : what.bytes);
  }

  const server = createServer((client) => {
    keep(client);
    let head = '';
    const read = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      client.off('data', read);
      client.pause();
      setTimeout(() => {
        client.resume();
        answer(client, head);
      }, delayMs);
    };
    client.on('data', read);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  onTestFinished(async () => {
    if (server.listening) await stop();
  });
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    open: () => sockets.size,
    behave(next) {
      behaviour = next;
    },
    stop,
    restart: () => listen(port),
  };
}
