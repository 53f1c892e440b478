import { Option } from 'commander';
import { readSecret } from '../../config/config.ts';
import { listenOnLoopback } from '../../platform/http/listen-on-loopback.ts';
import { requireFreePort } from '../../platform/http/require-free-port.ts';
import { newCommand } from '../command.ts';
import { collect, wholeNumber } from '../option-parsers.ts';
import { printable } from '../output/text-output.ts';
import { createReceiver, type Received } from '../receiver-server.ts';
import { requireSigningSecrets } from '../signing-secrets.ts';
import { untilSignal } from '../until-signal.ts';

interface Options {
  port: number;
  secret?: string[];
  status: number;
  delay: number;
  json: boolean;
}

interface ReceiverOutput {
  opened(url: string): void;
  received(received: Received): void;
  closed(): void;
}

function verificationText({ verified, reason }: Received): string {
  if (verified) return 'verified: yes';
  return verified === null ? `not verified: ${reason}` : `verified: NO (${reason})`;
}

function bodyText({ body, bytes, reason }: Received): string {
  if (reason === 'body_too_long') return `(${bytes} bytes: too long to display)`;
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

function textOutput(write: (text: string) => void): ReceiverOutput {
  let total = 0;
  let verified = 0;
  return {
    opened: (url) => write(`Listening at ${url}. Press Ctrl-C to stop.\n`),
    received(received) {
      total += 1;
      if (received.verified) verified += 1;
      write(
        printable(
          [
            '',
            `${received.at.toISOString()}  ${received.event ?? '(no event)'}  ${verificationText(received)}`,
            `delivery ${received.deliveryId ?? '-'}  event ${received.eventId ?? '-'}  arrival ${received.arrival}  ${received.bytes} bytes at ${received.path}  HTTP ${received.status}`,
            bodyText(received),
            '',
          ].join('\n'),
        ),
      );
    },
    closed: () => write(`\n${total} received, ${verified} verified.\n`),
  };
}

/** Streams one JSON document, one line per delivery, so that deliveries do not accumulate in memory. */
function jsonOutput(write: (text: string) => void): ReceiverOutput {
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

async function receive({ port, secret, status, delay, json }: Options): Promise<void> {
  const write = (text: string) => void process.stdout.write(text);
  const output = json ? jsonOutput(write) : textOutput(write);
  const secrets = (secret ?? [readSecret('RECEIVER_SECRET') ?? '']).filter((text) => text !== '');
  requireSigningSecrets(secrets, secret ? '--secret' : 'RECEIVER_SECRET');
  const server = createReceiver({ secrets, status, delayMs: delay, onReceived: output.received });

  await requireFreePort({ host: '127.0.0.1', port, setting: '--port' });
  const { url, stop } = await listenOnLoopback(server, port);
  const stopped = untilSignal();
  output.opened(url);

  await stopped;
  stop();
  output.closed();
}

/** `receiver`: runs a webhook receiver on this machine that shows what it receives. */
export const receiver = () =>
  newCommand('receiver', 'receive webhooks on this machine, print them and verify their signatures')
    .requiredOption('--port <n>', 'port on 127.0.0.1; 0 for any free port', wholeNumber(0, 65_535))
    .addOption(
      // Other users of the machine can read the arguments of a process, but not its environment.
      new Option(
        '--secret <whsec>',
        'signing secret of the endpoint (default: RECEIVER_SECRET or RECEIVER_SECRET_FILE); repeatable',
      ).argParser(collect),
    )
    .option('--status <code>', 'HTTP status of every response', wholeNumber(200, 599), 200)
    .option('--delay <ms>', 'delay before each response, in milliseconds', wholeNumber(0, 600_000), 0)
    .action(receive);
