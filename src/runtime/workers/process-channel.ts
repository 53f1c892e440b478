import { createBirpc } from 'birpc';

/** Functions that the process at the other end of a channel can call by name. */
export type RemoteCalls = Record<string, (argument: never) => unknown>;

/** The part of `process` and of `cluster.Worker` that a channel needs. */
interface Peer {
  send(message: unknown, onSent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** Calls of the process at the other end. */
export interface Channel<Remote extends RemoteCalls> {
  /** @throws Error if the call fails there, or if the message cannot be sent because that process has exited */
  call<Name extends keyof Remote & string>(
    name: Name,
    argument: Parameters<Remote[Name]>[0],
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
}

/** Opens a channel over the messages between a process and its parent; both ends open one. */
export function openChannel<Remote extends RemoteCalls>(peer: Peer, local: RemoteCalls): Channel<Remote> {
  const remote = createBirpc<Remote, RemoteCalls>(local, {
    post: (message) =>
      new Promise<void>((resolve, reject) => {
        peer.send(message, (error) => (error ? reject(error) : resolve()));
      }),
    on: (listener) => peer.on('message', listener),
    // Callers set their own time limits.
    timeout: -1,
    // With a method, sending a result failed: the process that asked for it has exited.
    onGeneralError: (_error, method) => method !== undefined,
  });
  return {
    call: (name, argument) => remote.$call(name, ...([argument] as never)) as never,
  };
}
