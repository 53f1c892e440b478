import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * One keep-alive HTTP connection that sends one request after the other. Written out because the load shares the
 * cores with what it measures: undici takes three times the CPU for the same request.
 */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer | null = null;
  #answer: PromiseWithResolvers<number> | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#answer?.reject(error));
    socket.on('close', () => this.#answer?.reject(new Error('The connection was closed.')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** Sends a whole request, head and body, and gives the status of the answer once that has been read whole. */
  send(request: string): Promise<number> {
    this.#answer = Promise.withResolvers<number>();
    this.#socket.write(request);
    return this.#answer.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** False once either side has closed it. */
  isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  #read(chunk: Buffer): void {
    const received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk;
    this.#received = received;
    const headLength = received.indexOf(HEAD_END) + HEAD_END.length;
    if (headLength < HEAD_END.length) return;
    const head = received.toString('latin1', 0, headLength);
    const bodyLength = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(bodyLength)) {
      this.#socket.destroy(new Error('An answer without Content-Length.'));
    } else if (received.length >= headLength + bodyLength) {
      this.#received = null;
      this.#answer?.resolve(Number(head.slice(9, 12)));
    }
  }
}
