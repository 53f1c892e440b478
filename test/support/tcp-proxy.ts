import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of the service, which stays at its address during an outage. */
export interface TcpProxy extends AsyncDisposable {
  url: string;
  /** Cuts all connections and refuses new ones. */
  disconnect(): void;
  /** Accepts connections, but transfers no bytes, as a service that hangs. */
  freeze(): void;
  reconnect(): void;
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let state: 'connected' | 'refusing' | 'frozen' = 'connected';
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    if (state === 'refusing') {
      near.destroy();
      return;
    }
    track(near);
    if (state === 'frozen') {
      near.pause();
      return;
    }
    const far = connect(Number(port), hostname);
    track(far);
    near.pipe(far).pipe(near);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disconnect() {
      state = 'refusing';
      cut();
    },
    freeze() {
      state = 'frozen';
      for (const socket of sockets) socket.unpipe().pause();
    },
    reconnect() {
      state = 'connected';
      cut();
    },
    async [Symbol.asyncDispose]() {
      state = 'refusing';
      cut();
      await new Promise((closed) => server.close(closed));
    },
  };
}
