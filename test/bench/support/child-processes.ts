import { readdirSync, readFileSync } from 'node:fs';

/** Returns the ids of the child processes of a process that run Node (Linux). */
export function childrenOf(pid: number): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((id) => {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(parent) === pid && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('main.ts');
    } catch {
      return false; // It has exited.
    }
  });
}
