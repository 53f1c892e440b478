import { spawn } from 'node:child_process';

/**
 * Blocks on a pipe whose write end only the parent holds; end-of-file means that the parent has exited, even if it
 * crashed. Then sends SIGTERM to the child, and SIGKILL after 10 s.
 */
const GUARD_SCRIPT = `
read -r word; [ "$word" = released ] && exit
kill -TERM "$1" 2>/dev/null || exit
n=0; while [ "$n" -lt 10 ] && kill -0 "$1" 2>/dev/null; do sleep 1; n=$((n+1)); done
kill -KILL "$1" 2>/dev/null
`;

/**
 * Terminates a child process when this process exits, even by `kill -9` (contract 1). The guard is a small
 * shell process in its own session, which Ctrl-C on the terminal and `killall node` do not reach.
 * @param pid process id of the child
 * @returns stops the guard; to be called when the child has exited, before its process id is reused
 */
export function endWithParent(pid: number): () => void {
  const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'guard', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {}); // without a shell, only an orderly exit terminates the child
  guard.stdin.on('error', () => {}); // the guard was killed
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return () => void guard.stdin.end('released\n');
}
