import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Response of the fake sidecar: JSON by path, a status, text that is not JSON, or no response. */
export type SidecarBehaviour =
  | 'well'
  | 'hang'
  | 'reset'
  | { status: number }
  | { text: string }
  | { answers: Record<string, unknown> };

/** A real HTTP server that plays an ML sidecar, well or badly. */
export interface SidecarStandIn {
  url: string;
  /** Method and path of every request, in order. */
  asked: string[];
  behave(behaviour: SidecarBehaviour): void;
  stop(): Promise<void>;
}

const AT = '2026-11-20T12:00:00.000Z';

/** Responses of a healthy sidecar. */
export const WELL: Record<string, unknown> = {
  '/health': { status: 'ok', modelVersion: 'm-7' },
  '/drift/status': {
    isDrifted: true,
    driftScore: 0.31,
    threshold: 0.2,
    method: 'psi',
    lastChecked: AT,
    featureDrifts: [
      { feature: 'visits', score: 1.7, drifted: true },
      { feature: 'prediction', score: 0.02, drifted: false },
    ],
  },
  '/drift/history': [
    { id: 'c2', driftScore: 0.31, isDrifted: true, method: 'psi', stage: null, checkedAt: AT },
    { id: 'c1', driftScore: 0.1, isDrifted: false, method: 'psi', stage: 'trial', checkedAt: AT },
  ],
  '/drift/check': { success: true, driftScore: 0.31, isDrifted: true, featureDrifts: [] },
};

export async function startSidecarStandIn(): Promise<SidecarStandIn> {
  let behaviour: SidecarBehaviour = 'well';
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    if (behaviour === 'hang') return;
    if (behaviour === 'reset') return void response.socket?.resetAndDestroy();
    const json = { 'content-type': 'application/json' };
    const path = new URL(request.url ?? '', 'http://sidecar').pathname;
    if (behaviour === 'well') response.writeHead(200, json).end(JSON.stringify(WELL[path]));
    else if ('status' in behaviour) response.writeHead(behaviour.status, json).end('{}');
    else if ('text' in behaviour)
      response.writeHead(200, { 'content-type': 'text/html' }).end(behaviour.text);
    else response.writeHead(200, json).end(JSON.stringify(behaviour.answers[path]));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    behave(next) {
      behaviour = next;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
