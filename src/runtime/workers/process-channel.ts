/** Functions of a process that the process at the other end of a channel calls by name. */
export type RemoteCalls = Record<string, (argument: never) => unknown>;

/** The part of `process` and of `cluster.Worker` that a channel needs. */
interface Peer {
  send(message: Message, onSent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

type Message =
  | { type: 'call'; id: number; name: string; argument: unknown }
  | { type: 'result'; id: number; value?: unknown; error?: string };

interface PendingCall {
  resolve(value: never): void;
  reject(error: Error): void;
}

/** Calls of the process at the other end. */
export interface Channel<Remote extends RemoteCalls> {
  /** @throws Error if the call fails there, or if the message cannot be sent because that process has exited */
  call<Name extends keyof Remote & string>(
    name: Name,
    argument: Parameters<Remote[Name]>[0],
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' &&
  message !== null &&
  'type' in message &&
  (message.type === 'call' || message.type === 'result');

/** Opens a channel over the messages between a process and its parent; both ends open one. */
export function openChannel<Remote extends RemoteCalls>(peer: Peer, local: RemoteCalls): Channel<Remote> {
  const pending = new Map<number, PendingCall>();
  let lastId = 0;

  async function answer({ id, name, argument }: Message & { type: 'call' }): Promise<void> {
    let result: Message;
    try {
      const call = local[name];
      if (!call) throw new Error(`There is no call ${name}.`);
      result = { type: 'result', id, value: await call(argument as never) };
    } catch (error) {
      result = { type: 'result', id, error: error instanceof Error ? error.message : String(error) };
    }
    peer.send(result, () => {}); // A peer that has exited needs no result.
  }

  peer.on('message', (message) => {
    if (!isMessage(message)) return;
    if (message.type === 'call') {
      void answer(message);
      return;
    }
    const call = pending.get(message.id);
    pending.delete(message.id);
    if (message.error === undefined) call?.resolve(message.value as never);
    else call?.reject(new Error(message.error));
  });

  return {
    call: (name, argument) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        pending.set(id, { resolve, reject });
        peer.send({ type: 'call', id, name, argument }, (error) => {
          if (error && pending.delete(id)) reject(error);
        });
      }),
  };
}
