import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { newCommand } from '../command.ts';
import { collect, wholeNumber } from '../option-parsers.ts';
import { printable } from '../output/text-output.ts';
import { createReceiver, type Received } from './receiver-server.ts';

interface Options {
  port: number;
  secret?: string[];
  status: number;
  delay: number;
  json: boolean;
}

/** What a receiver tells, in the one form or the other. */
interface Report {
  opened(url: string): void;
  received(received: Received): void;
  closed(): void;
}

function verdict({ verified, reason }: Received): string {
  if (verified) return 'verified: yes';
  return verified === null ? `not verified: ${reason}` : `verified: NO (${reason})`;
}

function bodyText({ body, bytes, reason }: Received): string {
  if (reason === 'body_too_long') return `(${bytes} bytes: too long to show)`;
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

/** Lines for people. */
function readable(write: (text: string) => void): Report {
  let total = 0;
  let verified = 0;
  return {
    opened: (url) => write(`Listening at ${url}. Ctrl-C ends it.\n`),
    received(received) {
      total += 1;
      if (received.verified) verified += 1;
      write(
        printable(
          [
            '',
            `${received.at.toISOString()}  ${received.event ?? '(no event)'}  ${verdict(received)}`,
            `delivery ${received.deliveryId ?? '-'}  event ${received.eventId ?? '-'}  arrival ${received.arrival}  ${received.bytes} bytes at ${received.path}  answered ${received.status}`,
            bodyText(received),
            '',
          ].join('\n'),
        ),
      );
    },
    closed: () => write(`\n${total} received, ${verified} verified.\n`),
  };
}

/** One JSON document that grows by a line for each delivery and is complete at the end: no delivery is kept in memory. */
function streamed(write: (text: string) => void): Report {
  let total = 0;
  let verified = 0;
  return {
    opened: (url) => write(`{ "url": ${JSON.stringify(url)}, "deliveries": [\n`),
    received(received) {
      write(`${total > 0 ? ',' : ''}${JSON.stringify(received)}\n`);
      total += 1;
      if (received.verified) verified += 1;
    },
    closed: () => write(`], "received": ${total}, "verified": ${verified} }\n`),
  };
}

async function receive({ port, secret = [], status, delay, json }: Options): Promise<void> {
  const write = (text: string) => void process.stdout.write(text);
  const report = json ? streamed(write) : readable(write);
  const server = createReceiver({ secrets: secret, status, delayMs: delay, onReceived: report.received });

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  report.opened(`http://127.0.0.1:${address.port}`);

  await stopped;
  server.close();
  server.closeAllConnections();
  report.closed();
}

/** `receiver`: a webhook receiver to look at deliveries with. */
export const receiver = () =>
  newCommand('receiver', 'receive webhooks on this machine, show them, and say whether their signatures hold')
    .requiredOption('--port <n>', 'port on 127.0.0.1; 0: any free one', wholeNumber(0, 65_535))
    .option('--secret <whsec>', 'signing secret of the endpoint; may be given several times', collect)
    .option('--status <code>', 'status of every answer', wholeNumber(200, 599), 200)
    .option('--delay <ms>', 'milliseconds before every answer', wholeNumber(0, 600_000), 0)
    .action(receive);
