import { execFileSync } from 'node:child_process';

/** Returns the ids of the workers of a primary: its child processes that run the service. */
export function workersOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [id, parent, state = '', ...args] = line.trim().split(/\s+/);
    const isWorker = Number(parent) === pid && !state.startsWith('Z') && args.join(' ').endsWith('serve');
    return isWorker ? [Number(id)] : [];
  });
}
