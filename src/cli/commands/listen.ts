import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import { ApiError, EngagementClient, EngagementError } from '../../../packages/client/src/index.ts';
import { readSecret } from '../../config/config.ts';
import { AppError, hasCode } from '../../errors/app-error.ts';
import { newSecret } from '../../features/webhooks/signature/sign.ts';
import { newCommand } from '../command.ts';
import { type Forwarded, type ForwardedEvent, type ForwardTarget, forward } from '../forward-event.ts';
import { customerId, isoDate } from '../option-parsers.ts';
import { EXIT_FAILURE, type Failure, failureOf, report, UsageError } from '../output/command-failure.ts';
import { printable } from '../output/text-output.ts';
import { requireSigningSecrets } from '../signing-secrets.ts';
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
/** Pause before a request that failed is repeated. Milliseconds. */
const RETRY_MS = 1_000;

interface ListenOutput {
  /** @param newSecret signing secret that no option has named; null if one has */
  opened(newSecret: string | null): void;
  forwarded(event: Forwarded): void;
  /** Reports what the command waits for, or what it leaves out. */
  note(text: string): void;
  closed(failure: Failure | null): void;
}

const isSuccess = ({ status }: Forwarded): boolean => status !== null && status >= 200 && status < 300;

const noteOnStderr = (text: string): void => void process.stderr.write(`${printable(text)}\n`);

function textOutput({ forward: url, name, loadFrom }: Options, write: (text: string) => void): ListenOutput {
  const what = loadFrom === undefined ? `the feed ${name}` : `the event ${loadFrom}`;
  return {
    opened(secret) {
      const signed = secret === null ? '' : `, signed with ${secret}`;
      const stop = loadFrom === undefined ? ' Press Ctrl-C to stop.' : '';
      write(printable(`Forwarding ${what} to ${url}${signed}.${stop}\n`));
    },
    forwarded: ({ at, id, event, status, error, durationMs }) =>
      write(
        printable(
          `${at.toISOString()}  ${event}  event ${id}  ${status === null ? error : `HTTP ${status}`}  ${durationMs} ms\n`,
        ),
      ),
    note: noteOnStderr,
    closed: () => {},
  };
}

/** Streams one JSON document, one line per event. */
function jsonOutput({ forward: url, name, loadFrom }: Options, write: (text: string) => void): ListenOutput {
  let total = 0;
  let succeeded = 0;
  return {
    opened: (secret) =>
      write(
        `{ ${JSON.stringify({ forward: url, name: loadFrom === undefined ? name : null, secret }).slice(1, -1)}, "events": [\n`,
      ),
    forwarded(event) {
      write(`${total > 0 ? ',' : ''}${JSON.stringify(event)}\n`);
      total += 1;
      if (isSuccess(event)) succeeded += 1;
    },
    note: noteOnStderr,
    closed(failure) {
      const error = failure ? `, "error": ${JSON.stringify(failure.document.error)}` : '';
      write(`], "forwarded": ${total}, "succeeded": ${succeeded}${error} }\n`);
    },
  };
}

interface Forwarding extends ForwardTarget {
  output: ListenOutput;
}

/** Forwards the events of a feed one by one, and acknowledges each that got an answer, until the signal aborts. */
async function follow(
  client: EngagementClient,
  { name, since }: Pick<Options, 'name' | 'since'>,
  { output, ...target }: Forwarding,
): Promise<void> {
  const { signal } = target;
  const consumer = `listen:${hostname()
    .replaceAll(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 60)}:${process.pid}`;
  const pull = { consumer, limit: 1, wait: WAIT_SECONDS, start: since?.toISOString() ?? 'end' };
  const call = createPersistentCall(output, signal);
  const exists = async (): Promise<boolean> => {
    const { data } = await client.eventFeeds.list({ signal });
    return data.some((feed) => feed.name === name);
  };
  /** Returns true if another consumer holds the feed, and may release it. Without a feed, the customer has too many. */
  const isHeld = async (error: unknown): Promise<boolean> =>
    error instanceof ApiError && error.code === 'CONFLICT' && exists().catch(isUnavailable);
  try {
    if (since && (await call(exists)))
      output.note(`The feed ${name} exists and continues where it stopped; --since is for a new --name.`);
    for (;;) {
      const { data, cursor } = await call(() => client.eventFeeds.pull(name, pull, { signal }), isHeld);
      for (const event of data) await forwardUntilAnswered(event, { output, ...target });
      // Without the signal: what was answered is not forwarded again by the next start.
      await call(() => client.eventFeeds.ack(name, { cursor, consumer })).catch(unlessTakenOver);
      signal.throwIfAborted();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Forwards an event until the address responds; reports a missing response when its reason changes. */
async function forwardUntilAnswered(event: ForwardedEvent, { output, ...target }: Forwarding): Promise<void> {
  let reported: string | null | undefined;
  for (;;) {
    const forwarded = await forward(event, target);
    target.signal.throwIfAborted();
    if (forwarded.error !== reported) output.forwarded(forwarded);
    reported = forwarded.error;
    if (forwarded.status !== null) return;
    await sleep(RETRY_MS, undefined, { signal: target.signal });
  }
}

/**
 * Returns a function that repeats a request while the service is unavailable, and reports each new reason.
 * The function throws an AppError for any other failure.
 */
function createPersistentCall(output: ListenOutput, signal: AbortSignal) {
  let reported: string | null = null;

  return async function call<T>(
    request: () => PromiseLike<T>,
    isAlsoTemporary: (error: unknown) => Promise<boolean> = async () => false,
  ): Promise<T> {
    for (;;) {
      try {
        const result = await request();
        if (reported !== null) output.note('The feed continues.');
        reported = null;
        return result;
      } catch (error) {
        signal.throwIfAborted();
        if (!isUnavailable(error) && !(await isAlsoTemporary(error))) throw toFailure(error);
        const { message } = error as Error;
        if (message !== reported) output.note(`${message} Trying again.`);
        reported = message;
        const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
        await sleep(Math.max(RETRY_MS, retryAfterMs), undefined, { signal });
      }
    }
  };
}

/** No response, or one that says to try again. A service that restarts responds soon. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof ApiError ? error.status === 429 || error.status >= 500 : error instanceof EngagementError;

/** Another consumer has acquired the feed meanwhile, and gets the event as well. @throws any other error */
function unlessTakenOver(error: unknown): void {
  if (!hasCode(error, 'CONFLICT')) throw error;
}

/** Converts an error of the client. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, message } = error;
  if (code === 'POSITION_GONE') return new AppError(code, `${message} Or start with another --name.`);
  return new AppError(code === 'UNKNOWN' ? 'SERVICE_UNAVAILABLE' : code, message);
}

/** Forwards one stored event. */
async function forwardOne(
  client: EngagementClient,
  id: string,
  { output, ...target }: Forwarding,
): Promise<void> {
  const event = await client.events.get(id, { signal: target.signal }).catch((error: unknown) => {
    throw toFailure(error);
  });
  const forwarded = await forward(event, target);
  output.forwarded(forwarded);
  if (!isSuccess(forwarded)) process.exitCode = EXIT_FAILURE;
}

async function run(options: Options): Promise<void> {
  const { json, customer, url, loadFrom } = options;
  const apiKey = options.key ?? readSecret('ENGAGEMENT_KEY');
  if (!apiKey) throw new UsageError('Set --key or ENGAGEMENT_KEY to an API key with the scope write.');
  const given = options.secret ?? readSecret('RECEIVER_SECRET');
  if (given) requireSigningSecrets([given], options.secret ? '--secret' : 'RECEIVER_SECRET');
  const secret = given || newSecret();
  // The command repeats requests itself.
  const client = new EngagementClient({ baseUrl: url, apiKey, customerId: customer, maxRetries: 0 });
  const write = (text: string) => void process.stdout.write(text);
  const output = json ? jsonOutput(options, write) : textOutput(options, write);
  const stopping = new AbortController();
  void untilSignal().then(() => stopping.abort());
  const forwarding = { url: options.forward, secret, signal: stopping.signal, output };
  output.opened(given ? null : secret);
  let failure: Failure | null = null;
  try {
    if (loadFrom === undefined) await follow(client, options, forwarding);
    else await forwardOne(client, loadFrom, forwarding);
  } catch (error) {
    // The document of `--json` is open: it has the error as well.
    failure = json ? failureOf(error) : null;
    if (!failure) throw error;
    report(failure);
  } finally {
    output.closed(failure);
  }
}

function httpUrl(value: string): string {
  const { protocol, username, password } = URL.canParse(value) ? new URL(value) : {};
  if (!/^https?:$/.test(protocol ?? '') || username || password)
    throw new InvalidArgumentError(
      'Must be an http: or https: URL without credentials, such as http://127.0.0.1:3000/hooks.',
    );
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
