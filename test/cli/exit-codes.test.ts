import { describe, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('an invalid command line', () => {
  test.each([
    ['an unknown command', ['banana'], "unknown command 'banana'"],
    ['an unknown option', ['key', 'list', '--colour'], "unknown option '--colour'"],
    ['an option that is missing', ['key', 'create'], "required option '--scope <scope>' not specified"],
    ['an argument that is missing', ['key', 'revoke'], "missing required argument 'id'"],
    ['an unknown scope', ['key', 'create', '--scope', 'boss'], 'Allowed choices are read, write, admin'],
    [
      'a customer id of 0',
      ['tenant', 'create', '--customer', '0', '--org', 'o', '--name', 'n'],
      'whole number from 1',
    ],
    [
      'a blank name',
      ['tenant', 'create', '--customer', '1', '--org', 'o', '--name', ' '],
      'Must not be blank.',
    ],
    [
      'a moment without an offset',
      ['key', 'create', '--scope', 'admin', '--expires', '2030-01-01T00:00:00'],
      'ISO 8601',
    ],
    [
      'an admin key for a customer',
      ['key', 'create', '--scope', 'admin', '--customer', '1'],
      'belongs to no customer',
    ],
    [
      'a read key without a customer',
      ['key', 'create', '--scope', 'read'],
      'A read key requires --customer <n>.',
    ],
    ['an erasure of no person', ['erase', '--customer', '1'], 'Name the person by --email'],
    ['retention times of all customers', ['retention', '--set', 'meetings=9'], 'Use --set with --customer'],
    [
      'a webhook without a secret',
      ['demo', 'provider', '--webhook', 'http://127.0.0.1:9'],
      'Use --webhook and --webhook-secret together.',
    ],
    [
      'no key of a feed',
      ['listen', '--forward', 'http://127.0.0.1:9', '--customer', '1'],
      'Set --key or ENGAGEMENT_KEY',
    ],
    ['a token that no header can have', ['sidecar', 'check', '--token', 'a b'], '--token must consist of'],
    [
      'a secret that is not base64',
      ['receiver', '--port', '0', '--secret', `whsec_${'a'.repeat(33)}`],
      '--secret is not a signing secret',
    ],
    ['an unknown role', ['serve', '--role', 'boss'], 'Allowed choices are all, api, worker'],
    ['a port out of range', ['receiver', '--port', '65536'], 'whole number from 0 to 65535'],
  ])(
    'with %s exits with 2, prints an error to stderr, and nothing to stdout',
    async (_name, args, message) => {
      const { code, stdout, stderr } = await runCommand(args);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
      expect(stdout).toBe('');
    },
  );

  test('without a command exits with 2 and lists the commands on stderr', async () => {
    const { code, stdout, stderr } = await runCommand([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Commands:');
  });

  test('prints the error as one JSON document with --json', async () => {
    const { code, stdout, stderr } = await runCommand(['key', 'create', '--scope', 'read', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'USAGE', message: 'A read key requires --customer <n>.' },
    });
    expect(lines(stderr)).toEqual(['A read key requires --customer <n>.']);
  });
});

test('--help exits with 0 and prints the commands to stdout', async () => {
  const { code, stdout, stderr } = await runCommand(['--help']);
  expect([code, stderr]).toEqual([0, '']);
  for (const command of ['serve', 'tenant', 'key', 'secrets', 'demo', 'receiver', 'doctor']) {
    expect(stdout).toContain(`  ${command}`);
  }
});

describe('an invalid configuration', () => {
  const env = { PORT: 'x', MONGODB_URI: 'postgres://u:hunter2secret@h', WEBHOOK_TIMEOUT: '30s' };

  test.each([
    ['serve', ['serve']],
    ['key list', ['key', 'list']],
    ['tenant create', ['tenant', 'create', '--customer', '1', '--org', 'o', '--name', 'n']],
    ['secrets rotate', ['secrets', 'rotate']],
    ['demo seed', ['demo', 'seed']],
  ])('makes %s exit with 78 and one line per variable, without revealing a secret', async (_name, args) => {
    const { code, stdout, stderr } = await runCommand(args, env);
    expect(code).toBe(78);
    expect(stdout).toBe('');
    expect(lines(stderr).map((line) => line.split(':')[0])).toEqual([
      'PORT',
      'MONGODB_URI',
      'WEBHOOK_TIMEOUT',
    ]);
    expect(stderr).not.toContain('hunter2secret');
  });

  test('is an unknown meeting provider', async () => {
    const { code, stderr } = await runCommand(['serve'], { RECORDER_PROVIDER: 'zoom' });
    expect(code).toBe(78);
    expect(lines(stderr)).toEqual([
      'RECORDER_PROVIDER: "zoom" is not a valid choice; accepted: standard, fathom',
    ]);
  });

  test('is one JSON document with --json', async () => {
    const { code, stdout } = await runCommand(['key', 'list', '--json'], { PORT: '70000' });
    expect(code).toBe(78);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'CONFIGURATION',
        message: 'The configuration is invalid.',
        details: [
          { path: 'PORT', message: '"70000" is above 65535; accepted: a whole number from 0 to 65535' },
        ],
      },
    });
  });

  test('is reported by doctor, with exit code 1', async () => {
    const { code, stdout } = await runCommand(['doctor', '--json'], env);
    expect(code).toBe(1);
    const { ok, checks } = JSON.parse(stdout);
    expect(ok).toBe(false);
    expect(checks).toMatchObject([
      { check: 'node', level: 'ok' },
      {
        check: 'configuration',
        level: 'fail',
        message: expect.stringMatching(/^PORT: "x" is not a whole number/),
      },
      { check: 'configuration', level: 'fail', message: expect.stringMatching(/^MONGODB_URI: the value/) },
      {
        check: 'configuration',
        level: 'fail',
        message: expect.stringMatching(/^WEBHOOK_TIMEOUT: "30s" is above 12s/),
      },
    ]);
    expect(stdout).not.toContain('hunter2secret');
  });
});
