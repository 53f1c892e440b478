import { spawn } from 'node:child_process';

/**
 * Waits on a pipe that only the parent holds: its end means that the parent is gone, however it ended.
 * Then the child gets 10 s to close its files before it is killed.
 */
const SCRIPT = `
read -r word; [ "$word" = released ] && exit
kill -TERM "$1" 2>/dev/null || exit
n=0; while [ "$n" -lt 10 ] && kill -0 "$1" 2>/dev/null; do sleep 1; n=$((n+1)); done
kill -KILL "$1" 2>/dev/null
`;

/**
 * Makes a child process end with this one, `kill -9` included (contract section 1).
 * A shell of a few hundred kilobytes watches, at once and without polling, in a session of its own,
 * so that neither a Ctrl-C on the terminal nor a `killall node` takes the watch away.
 * @param pid the child to end
 * @returns lifts the guard; call it once the child has ended, before its pid can belong to another
 */
export function endWithParent(pid: number): () => void {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'guard', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {}); // no shell: the child still ends in every orderly way
  guard.stdin.on('error', () => {}); // the guard was killed: nothing left to lift
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return () => void guard.stdin.end('released\n');
}
