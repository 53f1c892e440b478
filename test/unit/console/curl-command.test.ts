import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlCommand } from '../../../src/console/pages/webhooks/deliveries/curl-command.ts';

test('a command passes URL, headers and body through a shell unchanged', () => {
  const request = {
    url: "https://example.com/hooks?a=b&c=$HOME'`x`",
    headers: [
      { name: 'content-type', value: 'application/json' },
      { name: 'webhook-id', value: `a "quoted" 'id' \\ $(x)` },
    ],
    body: `{"name":"O'Brien","note":"line\\n$PATH"}`,
  };
  const script = `curl() { printf '%s\\0' "$@"; }\n${curlCommand(request)}`;
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  expect(words).toEqual([
    '-X',
    'POST',
    request.url,
    ...request.headers.flatMap(({ name, value }) => ['-H', `${name}: ${value}`]),
    '--data-raw',
    request.body,
  ]);
});
