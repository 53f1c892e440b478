import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time for the inspector to open its port. */
const OPEN_TIMEOUT_MS = 5_000;

/** A CPU profile as V8 writes it: a tree of calls, and the node on top of the stack at each sample. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  /** Microseconds since the sample before. */
  timeDeltas: number[];
}

/** A connection to the inspector of another process. */
export interface Inspector extends Disposable {
  call<T>(method: string, params?: Record<string, unknown>): Promise<T>;
}

/** Opens the inspector of a Node.js process that was started with `--inspect-port=<port>`: it costs nothing before. */
export async function openInspector(pid: number, port: number): Promise<Inspector> {
  process.kill(pid, 'SIGUSR1');
  const socket = new WebSocket(await debuggerUrl(port));
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  });
  return {
    call(method, params = {}) {
      const id = ++calls;
      const call = Promise.withResolvers<unknown>();
      waiting.set(id, call);
      socket.send(JSON.stringify({ id, method, params }));
      return call.promise as never;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

async function debuggerUrl(port: number): Promise<string> {
  const deadline = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    try {
      const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
      return (targets as { webSocketDebuggerUrl: string }[])[0]?.webSocketDebuggerUrl ?? '';
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
