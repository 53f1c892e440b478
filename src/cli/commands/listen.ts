import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import { ApiError, EngagementClient } from '../../../packages/client/src/index.ts';
import { readSecret } from '../../config/config.ts';
import { AppError } from '../../errors/app-error.ts';
import { newSecret } from '../../features/webhooks/signature/sign.ts';
import { newCommand } from '../command.ts';
import { type Forwarded, type ForwardedEvent, forward } from '../forward-event.ts';
import { customerId, isoDate } from '../option-parsers.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { printable } from '../output/text-output.ts';
import { untilSignal } from '../until-signal.ts';

interface Options {
  forward: string;
  customer: number;
  key?: string;
  url: string;
  name: string;
  since?: Date;
  secret?: string;
  loadFrom?: string;
  json: boolean;
}

/** Seconds that a pull waits for an event. */
const WAIT_SECONDS = 20;
/** Pause before a pull or a request is repeated that got no answer. Milliseconds. */
const RETRY_MS = 1_000;

interface ListenOutput {
  opened(secret: string): void;
  forwarded(event: Forwarded): void;
  /** Reports something that is attempted again. */
  waiting(reason: string): void;
  closed(): void;
}

const isSuccess = ({ status }: Forwarded): boolean => status !== null && status >= 200 && status < 300;

function textOutput({ forward: url, name }: Options, write: (text: string) => void): ListenOutput {
  return {
    opened: (secret) =>
      write(`Forwarding the feed ${name} to ${url}, signed with ${secret}. Press Ctrl-C to stop.\n`),
    forwarded: ({ at, id, event, status, error, durationMs }) =>
      write(
        printable(
          `${at.toISOString()}  ${event}  event ${id}  ${status === null ? error : `HTTP ${status}`}  ${durationMs} ms\n`,
        ),
      ),
    waiting: (reason) => void process.stderr.write(`${printable(reason)}\n`),
    closed: () => {},
  };
}

/** Streams one JSON document, one line per event. */
function jsonOutput({ forward: url, name }: Options, write: (text: string) => void): ListenOutput {
  let total = 0;
  let succeeded = 0;
  return {
    opened: (secret) =>
      write(`{ ${JSON.stringify({ forward: url, name, secret }).slice(1, -1)}, "events": [\n`),
    forwarded(event) {
      write(`${total > 0 ? ',' : ''}${JSON.stringify(event)}\n`);
      total += 1;
      if (isSuccess(event)) succeeded += 1;
    },
    waiting: (reason) => void process.stderr.write(`${reason}\n`),
    closed: () => write(`], "forwarded": ${total}, "succeeded": ${succeeded} }\n`),
  };
}

/** Forwards the events of a feed one by one, and acknowledges each that got an answer. */
async function follow(
  client: EngagementClient,
  { name, since, ...options }: Options,
  { secret, output, signal }: { secret: string; output: ListenOutput; signal: AbortSignal },
): Promise<void> {
  const consumer = `listen:${hostname()
    .replaceAll(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 60)}:${process.pid}`;
  const pull = { consumer, limit: 1, wait: WAIT_SECONDS, start: since?.toISOString() ?? 'end' };
  while (!signal.aborted) {
    try {
      const { data, cursor } = await client.eventFeeds.pull(name, pull, { signal });
      for (const event of data) {
        const forwarded = await forward(event, { url: options.forward, secret });
        output.forwarded(forwarded);
        if (forwarded.status === null) throw new Unanswered();
      }
      await client.eventFeeds.ack(name, { cursor, consumer });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && !isTemporary(error)) throw toFailure(error);
      if (!(error instanceof Unanswered)) output.waiting((error as Error).message);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** The local address did not respond: the event is forwarded again. */
class Unanswered extends Error {}

/** Another consumer may release the feed, and a service that restarts responds again. */
const isTemporary = ({ code, status }: ApiError): boolean =>
  code === 'CONFLICT' || status === 429 || status >= 500;

const toFailure = ({ code, message }: ApiError): AppError =>
  new AppError(code === 'UNKNOWN' ? 'SERVICE_UNAVAILABLE' : code, message);

/** Forwards one stored event. */
async function forwardOne(
  client: EngagementClient,
  { id, url }: { id: string; url: string },
  { secret, output }: { secret: string; output: ListenOutput },
): Promise<void> {
  const event: ForwardedEvent = await client.events.get(id).catch((error: unknown) => {
    throw error instanceof ApiError ? toFailure(error) : error;
  });
  const forwarded = await forward(event, { url, secret });
  output.forwarded(forwarded);
  if (!isSuccess(forwarded)) process.exitCode = EXIT_FAILURE;
}

async function run(options: Options): Promise<void> {
  const { json, customer, url, loadFrom } = options;
  const apiKey = options.key ?? readSecret('ENGAGEMENT_KEY');
  if (!apiKey)
    throw new AppError(
      'VALIDATION_FAILED',
      'Set --key or ENGAGEMENT_KEY to an API key with the scope write.',
    );
  const secret = options.secret ?? readSecret('RECEIVER_SECRET') ?? newSecret();
  const client = new EngagementClient({ baseUrl: url, apiKey, customerId: customer });
  const write = (text: string) => void process.stdout.write(text);
  const output = json ? jsonOutput(options, write) : textOutput(options, write);
  const stopping = new AbortController();
  void untilSignal().then(() => stopping.abort());
  output.opened(secret);
  try {
    if (loadFrom !== undefined)
      await forwardOne(client, { id: loadFrom, url: options.forward }, { secret, output });
    else await follow(client, options, { secret, output, signal: stopping.signal });
  } finally {
    output.closed();
  }
}

function httpUrl(value: string): string {
  const protocol = URL.canParse(value) ? new URL(value).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new InvalidArgumentError('Must be an http: or https: URL, such as http://127.0.0.1:3000/hooks.');
  return value;
}

const HELP = `
Events are forwarded in the order in which they were committed, as deliveries to an endpoint are sent, one at a time.
Each is acknowledged once the address responds, with any status; without a response it is forwarded again.
The position is stored under the name of the feed: the next start continues after the last acknowledged event.`;

/** `listen`: forwards the events of a customer to a local address. */
export const listen = () =>
  newCommand('listen', 'forward the events of a customer to a local address, without a public URL')
    .requiredOption('--forward <url>', 'address to forward to, such as http://127.0.0.1:3000/hooks', httpUrl)
    .requiredOption('--customer <n>', 'customer whose events are forwarded', customerId)
    .addOption(
      // Other users of the machine can read the arguments of a process, but not its environment.
      new Option(
        '--key <key>',
        'API key with the scope write (default: ENGAGEMENT_KEY or ENGAGEMENT_KEY_FILE)',
      ),
    )
    .option('--url <url>', 'base URL of the service', httpUrl, 'http://127.0.0.1:4000')
    .option('--name <name>', 'name of the feed, which stores the position', 'listen')
    .option('--since <iso>', 'position of a feed that does not exist yet (default: now)', isoDate)
    .addOption(
      new Option(
        '--secret <whsec>',
        'signing secret (default: RECEIVER_SECRET or RECEIVER_SECRET_FILE, otherwise a new one)',
      ),
    )
    .option(
      '--load-from <id>',
      'forward the event with this ID once, and exit; 1 unless the response is a 2xx',
    )
    .addHelpText('after', HELP)
    .action(run);
