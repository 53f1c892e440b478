import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Address that hostile callers connect from, so that limits per address spare the other tenant. */
const HOSTILE_ADDRESS = '127.0.0.2';
const STATUS_LINE_BYTES = 12;
const GRAPHQL_ERRORS = '"errors":[';

export interface HostileRequest {
  method?: 'GET' | 'POST';
  path: string;
  key?: string;
  /** JSON. */
  body?: string;
  headers?: Record<string, string>;
  localAddress?: string;
}

/** Sends requests and counts their responses by status, and whether they have GraphQL errors. */
export function hostileClient(port: number) {
  const statuses: Record<string, number> = {};
  const agent = new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  const count = (name: string | number) => {
    statuses[name] = (statuses[name] ?? 0) + 1;
  };

  const headersOf = ({ key, body, headers }: HostileRequest): Record<string, string> => ({
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  });

  return {
    statuses,

    /** Resolves once the response has been read; returns its status, 0 if the connection failed. */
    send(options: HostileRequest): Promise<number> {
      const { method = 'POST', path, body, localAddress = HOSTILE_ADDRESS } = options;
      return new Promise((resolve) => {
        const settle = (status: number, hasErrors = false) => {
          count(hasErrors ? `${status} with errors` : status || 'closed');
          resolve(status);
        };
        const target = { host: '127.0.0.1', port, method, path, agent, localAddress };
        request({ ...target, headers: headersOf(options) }, (response) => {
          let hasErrors = false;
          response.on('data', (chunk: Buffer) => {
            hasErrors ||= chunk.includes(GRAPHQL_ERRORS);
          });
          response.once('end', () => settle(response.statusCode ?? 0, hasErrors));
          response.once('error', () => settle(0));
        })
          .once('error', () => settle(0))
          .end(body);
      });
    },

    /** Resolves with the status once the response begins; reads nothing more. */
    sendUnread(options: HostileRequest): Promise<Socket> {
      const { method = 'POST', path, body = '', localAddress = HOSTILE_ADDRESS } = options;
      const lines = Object.entries(headersOf(options)).map(([name, value]) => `${name}: ${value}\r\n`);
      const socket = connect({ host: '127.0.0.1', port, localAddress });
      sockets.add(socket);
      return new Promise((resolve) => {
        socket.once('readable', () => {
          const line: Buffer | null = socket.read(STATUS_LINE_BYTES);
          count(line?.toString('latin1').slice(9) || 'closed');
          resolve(socket);
        });
        socket.on('error', () => {});
        socket.once('close', () => {
          sockets.delete(socket);
          resolve(socket);
        });
        socket.write(`${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n${body}`);
      });
    },

    /** Closes all connections. */
    close(): void {
      agent.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export type HostileClient = ReturnType<typeof hostileClient>;
