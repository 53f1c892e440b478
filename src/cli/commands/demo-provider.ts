import { once } from 'node:events';
import { Option } from 'commander';
import { PAGINATIONS, PAYLOADS } from '../../demo/provider/provider-responses.ts';
import { startDemoProvider } from '../../demo/provider/provider-server.ts';
import { newCommand } from '../command.ts';
import { wholeNumber } from '../option-parsers.ts';
import { print, printable } from '../output/text-output.ts';

interface Options {
  port: number;
  meetings: number;
  delay: number;
  rateLimit: number;
  pagination: (typeof PAGINATIONS)[number];
  payload: (typeof PAYLOADS)[number];
  json: boolean;
}

const usage = (url: string, meetings: number): string =>
  [
    `Meeting provider at ${url}, with ${meetings} meetings of the last three months. Ctrl-C ends it.`,
    '',
    'Start the service with it:',
    `  RECORDER_API_URL=${url} npm start`,
    'and connect with any key that starts with rec_, rec_demo for one. It refuses those with "invalid" in them.',
    '',
  ].join('\n');

async function provide({ port, meetings, delay, rateLimit, pagination, payload, json }: Options) {
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const provider = await startDemoProvider({
    port,
    meetings,
    delayMs: delay,
    perMinute: rateLimit,
    pagination,
    payload,
    onAnswer: ({ at, method, path, status, meetings: listed }) => {
      if (json) return;
      const what = listed === null ? '' : `  ${listed} meetings`;
      process.stdout.write(printable(`${at.toISOString()}  ${method} ${path}  ${status}${what}\n`));
    },
  });
  print(json, { url: provider.url, meetings }, usage(provider.url, meetings));
  await stopped;
  provider.stop();
}

/** `demo provider`: a stand-in for the meeting provider. */
export const demoProvider = () =>
  newCommand('provider', 'run a stand-in for the meeting provider, to see a sync without an account there')
    .option('--port <n>', 'port on 127.0.0.1; 0: any free one', wholeNumber(0, 65_535), 4010)
    .option('--meetings <n>', 'how many meetings it has', wholeNumber(1, 100_000), 120)
    .option('--delay <ms>', 'milliseconds before every answer', wholeNumber(0, 600_000), 0)
    .option(
      '--rate-limit <n>',
      'requests a minute for one key; more get a 429',
      wholeNumber(1, 1_000_000),
      60,
    )
    .addOption(
      new Option('--pagination <style>', 'what a page says of the next one')
        .choices(PAGINATIONS)
        .default('next'),
    )
    .addOption(new Option('--payload <key>', 'what the list is called').choices(PAYLOADS).default('meetings'))
    .action(provide);
