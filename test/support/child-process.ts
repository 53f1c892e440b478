import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Channel, openChannel, type RemoteCalls } from '../../src/runtime/workers/process-channel.ts';

/** A process with a script of the tests or benchmarks, whose functions the parent calls. */
export interface Child<Remote extends RemoteCalls> extends Channel<Remote>, AsyncDisposable {
  pid: number;
  /** Sends a signal and waits for the exit; continues a stopped process. */
  end(signal: NodeJS.Signals): Promise<void>;
}

interface ChildOptions {
  args?: string[];
  /** Functions of the parent that the child calls. */
  local?: RemoteCalls;
  /** Variables in addition to this process's own. */
  env?: Record<string, string>;
}

/** In the child: serves calls until the parent exits; returns the channel to the parent. */
export function answerCalls<Parent extends RemoteCalls>(handlers: RemoteCalls): Channel<Parent> {
  process.on('disconnect', () => process.exit());
  return openChannel<Parent>(
    {
      on: (event, listener) => process.on(event, listener),
      send: (message, onSent) => process.send?.(message, undefined, undefined, onSent),
    },
    handlers,
  );
}

/** In the parent: starts a script, given as a URL. Its calls reject when it exits. */
export function startChild<Remote extends RemoteCalls>(
  script: string,
  { args = [], local = {}, env = {} }: ChildOptions = {},
): Child<Remote> {
  const child = fork(new URL(script), args, {
    serialization: 'advanced',
    execArgv: [],
    env: { ...process.env, ...env },
  });
  const channel = openChannel<Remote>(child, local);
  const exited = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${script} ended with ${signal ?? code}`);
  });
  exited.catch(() => {}); // A child without a call in progress may end.
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    child.kill('SIGCONT');
    await exited.catch(() => {});
  }
  return {
    pid: child.pid ?? 0,
    end,
    call(name, argument) {
      const result = Promise.race([channel.call(name, argument), exited]);
      result.catch(() => {}); // A caller that has failed elsewhere does not await it.
      return result;
    },
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}
