import { Option } from 'commander';
import { PAGINATIONS, PAYLOADS } from '../../demo/provider/provider-responses.ts';
import { DEMO_APIS, startDemoProvider } from '../../demo/provider/provider-server.ts';
import { requireFreePort } from '../../platform/http/require-free-port.ts';
import { isSigningSecret } from '../../platform/standard-webhooks.ts';
import { newCommand } from '../command.ts';
import { wholeNumber } from '../option-parsers.ts';
import { UsageError } from '../output/command-failure.ts';
import { print, printable } from '../output/text-output.ts';
import { untilSignal } from '../until-signal.ts';

interface Options {
  port: number;
  meetings: number;
  delay: number;
  rateLimit: number;
  pagination: (typeof PAGINATIONS)[number];
  payload: (typeof PAYLOADS)[number];
  api: (typeof DEMO_APIS)[number];
  webhook?: string;
  webhookSecret?: string;
  json: boolean;
}

const usage = (url: string, { meetings, api }: Pick<Options, 'meetings' | 'api'>): string =>
  [
    `Demo provider at ${url} with ${meetings} meetings of the last three months. Press Ctrl-C to stop.`,
    '',
    'Start the service with this provider:',
    `  ${api === 'standard' ? '' : `RECORDER_PROVIDER=${api} `}RECORDER_API_URL=${url} npm start`,
    'Connect with any key that starts with rec_, such as rec_demo. Keys that contain "invalid" are rejected.',
    'The newest meeting has no transcript during the first six minutes, as while a provider processes a recording.',
    `Delete a meeting: curl -X DELETE -H 'Authorization: Bearer rec_demo' ${url}/meetings/<id>`,
    '',
  ].join('\n');

/** @throws UsageError if only one of the two options is given, or the secret has another format */
function webhookTarget({ webhook, webhookSecret }: Pick<Options, 'webhook' | 'webhookSecret'>) {
  if (webhook === undefined && webhookSecret === undefined) return null;
  if (webhook === undefined || webhookSecret === undefined)
    throw new UsageError('Use --webhook and --webhook-secret together.');
  if (!URL.canParse(webhook)) throw new UsageError('--webhook is not a URL.');
  if (!isSigningSecret(webhookSecret))
    throw new UsageError('--webhook-secret must be whsec_ and the base64 of 16 to 96 bytes.');
  return { url: webhook, secret: webhookSecret };
}

async function runProvider(options: Options) {
  const { port, meetings, delay, rateLimit, pagination, payload, api, json } = options;
  const webhook = webhookTarget(options);
  await requireFreePort({ host: '127.0.0.1', port, setting: '--port' });
  const stopped = untilSignal();
  const provider = await startDemoProvider({
    port,
    meetings,
    delayMs: delay,
    perMinute: rateLimit,
    pagination,
    payload,
    api,
    onResponse: ({ at, method, path, status, meetings: listed }) => {
      if (json) return;
      const listing = listed === null ? '' : `  ${listed} meetings`;
      process.stdout.write(printable(`${at.toISOString()}  ${method} ${path}  ${status}${listing}\n`));
    },
    webhook,
    onWebhook: ({ at, status }) => {
      if (!json) process.stdout.write(`${at.toISOString()}  webhook  ${status ?? 'no response'}\n`);
    },
  });
  print({ json, result: { url: provider.url, meetings, api }, text: usage(provider.url, { meetings, api }) });
  await stopped;
  provider.stop();
}

/** `demo provider`: runs the demo meeting provider. */
export const demoProvider = () =>
  newCommand('provider', 'run a demo meeting provider, to try a sync without an account')
    .option('--port <n>', 'port on 127.0.0.1; 0 for any free port', wholeNumber(0, 65_535), 4010)
    .option('--meetings <n>', 'number of meetings', wholeNumber(1, 100_000), 120)
    .option('--delay <ms>', 'delay before each response, in milliseconds', wholeNumber(0, 600_000), 0)
    .option(
      '--rate-limit <n>',
      'requests per minute and key; more return HTTP 429',
      wholeNumber(1, 1_000_000),
      60,
    )
    .addOption(
      new Option('--pagination <style>', 'field of a page that leads to the next one')
        .choices(PAGINATIONS)
        .default('next'),
    )
    .addOption(
      new Option('--payload <key>', 'field of a page that contains the meetings')
        .choices(PAYLOADS)
        .default('meetings'),
    )
    .addOption(
      new Option('--api <name>', 'API of the provider; fathom has pages and rate limits of its own')
        .choices(DEMO_APIS)
        .default('standard'),
    )
    .option('--webhook <url>', "address of the recorder's webhook, to which changes are sent")
    .option('--webhook-secret <secret>', 'signing secret of the webhook, whsec_…')
    .action(runProvider);
