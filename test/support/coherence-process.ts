import { type Child, startChild } from './child-process.ts';
import type { CoherenceCalls } from './coherence-child.ts';
import { eventually } from './eventually.ts';

/** A process that serves values from a coherent cache, and changes them. */
export interface CoherenceProcess extends Pick<Child<CoherenceCalls>, 'pid' | 'end'> {
  /** Rejects if the process ends first. */
  call(type: keyof CoherenceCalls, key?: string): Promise<number>;
  /** Resolves when a change is held at a point: `<key> before` or `<key> after`. */
  reached(point: string): Promise<unknown>;
}

/** Functions that the process calls. */
export type CoherenceParentCalls = { reached: (point: string) => void };

/** Starts a process with a coherent cache of the collection `values`. */
export async function startCoherenceProcess(mongodbUri: string): Promise<CoherenceProcess> {
  const points = new Set<string>();
  const local = { reached: (point: string) => void points.add(point) } satisfies CoherenceParentCalls;
  const { pid, end, call } = startChild<CoherenceCalls>(import.meta.resolve('./coherence-child.ts'), {
    args: [mongodbUri],
    local,
  });
  const reached = (point: string) => eventually(() => points.delete(point), 30_000);
  await reached('ready');
  return { pid, end, reached, call: (type, key = '') => call(type, key) };
}
