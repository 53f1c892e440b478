import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

type CallType = 'read' | 'write' | 'writeHeldBefore' | 'writeHeldAfter' | 'continue' | 'loads';

export interface CoherenceCall {
  id: number;
  type: CallType;
  key: string;
}

export type CoherenceAnswer =
  | { reached: string }
  | { id: number; value: number }
  | { id: number; error: string };

/** A process that serves values from a coherent cache, and changes them. */
export interface CoherenceProcess {
  child: ChildProcess;
  /** Rejects if the process ends first. */
  call(type: CallType, key?: string): Promise<number>;
  /** Resolves when a change is held at a point: `<key> before` or `<key> after`. */
  reached(point: string): Promise<unknown>;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a process with a coherent cache of the collection `values`. */
export async function startCoherenceProcess(mongodbUri: string): Promise<CoherenceProcess> {
  const child = fork(join(import.meta.dirname, 'coherence-child.ts'), [mongodbUri]);
  const points = new Set<string>();
  const calls = new Map<number, { resolve(value: number): void; reject(error: Error): void }>();
  child.on('message', (answer: CoherenceAnswer) => {
    if ('reached' in answer) {
      points.add(answer.reached);
      return;
    }
    const call = calls.get(answer.id);
    calls.delete(answer.id);
    if ('error' in answer) call?.reject(new Error(answer.error));
    else call?.resolve(answer.value);
  });
  child.once('exit', () => {
    for (const { reject } of calls.values()) reject(new Error('The process ended.'));
  });
  let last = 0;
  const reached = (point: string) => eventually(() => points.delete(point), 30_000);
  await reached('ready');
  return {
    child,
    reached,
    call: (type, key = '') =>
      new Promise((resolve, reject) => {
        const id = ++last;
        calls.set(id, { resolve, reject });
        child.send({ id, type, key } satisfies CoherenceCall, (error) => error && reject(error));
      }),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      child.kill('SIGCONT');
      await exited;
    },
  };
}
