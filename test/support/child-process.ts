import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Methods of a child process by name, each with one cloneable argument and result. */
type Handlers = Record<string, (input: never) => unknown>;

interface Call {
  id: number;
  name: string;
  input: unknown;
}

type Reply = { id: number; result: unknown } | { id: number; error: string };

/** A process of its own, so that what it costs is not on the account of whom it measures. */
export interface Child<H extends Handlers> extends AsyncDisposable {
  pid: number;
  call<N extends keyof H & string>(name: N, input: Parameters<H[N]>[0]): Promise<Awaited<ReturnType<H[N]>>>;
}

/** In the child: answers calls until the parent is gone, however it ended. */
export function answerCalls(handlers: Handlers): void {
  process.on('message', async ({ id, name, input }: Call) => {
    try {
      process.send?.({ id, result: await handlers[name]?.(input as never) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? String(error.stack) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit());
}

/** In the parent: starts `script`, a file beside this one. */
export function startChild<H extends Handlers>(script: string): Child<H> {
  const child = fork(new URL(script, import.meta.url), { serialization: 'advanced', execArgv: [] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  child.on('message', (reply: Reply) => {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) call?.reject(new Error(`${script}: ${reply.error}`));
    else call?.resolve(reply.result);
  });
  child.on('exit', (code, signal) => {
    for (const call of waiting.values()) call.reject(new Error(`${script} ended with ${signal ?? code}`));
  });
  return {
    pid: child.pid ?? 0,
    call(name, input) {
      const id = calls++;
      const call = Promise.withResolvers<unknown>();
      call.promise.catch(() => {}); // rejects for callers that await it; a bench that failed elsewhere does not await it
      waiting.set(id, call);
      child.send({ id, name, input });
      return call.promise as never;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
