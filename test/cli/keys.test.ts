import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_KEY_PATTERN } from '../../src/features/tenants/api-key.ts';
import { type Ended, runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';

const mongodbUri = freshDatabase();
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'engagement-cli-'));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

const run = (...args: string[]): Promise<Ended> =>
  runCommand(args, { MONGODB_URI: mongodbUri, DATA_DIR: dataDir });

/** Runs a command with `--json`; its document, once it is sure that it succeeded and said nothing else. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('key create', () => {
  test('for an unknown customer creates its tenant, with the organisation org_<n>', async () => {
    const created = await json('key', 'create', '--customer', '7', '--scope', 'write');
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      key: expect.stringMatching(API_KEY_PATTERN),
      scope: 'write',
      customerId: 7,
      orgId: 'org_7',
      customerCreated: true,
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: null,
    });
    expect(await json('key', 'create', '--customer', '7', '--scope', 'read')).toMatchObject({
      customerCreated: false,
    });
  });

  test('for an unknown customer says in one line that it was created', async () => {
    const created = await run('key', 'create', '--customer', '77', '--scope', 'read');
    expect(created.stdout).toMatch(
      /^Customer 77 did not exist and was created, with the organization org_77\.$/m,
    );
    const known = await run('key', 'create', '--customer', '77', '--scope', 'read');
    expect(known.stdout).not.toContain('created,');
  });

  test('uses --org for a new tenant, and rejects another organisation for an existing one', async () => {
    const created = await json('key', 'create', '--customer', '8', '--scope', 'read', '--org', 'acme');
    expect(created).toMatchObject({ customerId: 8, orgId: 'acme' });

    const { code, stdout, stderr } = await run(
      'key',
      'create',
      '--customer',
      '8',
      '--scope',
      'read',
      '--org',
      'other',
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'Customer 8 belongs to the organization acme, not other; correct --org or leave it out.\n',
    );
  });

  test('run twice at once for a new customer creates one tenant', async () => {
    const both = await Promise.all([
      json('key', 'create', '--customer', '9', '--scope', 'read'),
      json('key', 'create', '--customer', '9', '--scope', 'write'),
    ]);
    expect(both.map(({ orgId }) => orgId)).toEqual(['org_9', 'org_9']);
  });

  test('creates an admin key that belongs to no customer', async () => {
    expect(await json('key', 'create', '--scope', 'admin')).toMatchObject({
      scope: 'admin',
      customerId: null,
      orgId: null,
    });
  });

  const createUntil = (expires: string) => run('key', 'create', '--scope', 'admin', '--expires', expires);

  test('rejects an expiry time that no calendar has', async () => {
    const { code, stderr } = await createUntil('2030-02-30T10:00:00Z');
    expect(code).not.toBe(0);
    expect(stderr).toContain('Must be an ISO 8601 date, or date and time with an offset');
  });

  test('rejects an expiry time in the past', async () => {
    const { code, stderr } = await createUntil('2020-01-01T00:00:00Z');
    expect(code).toBe(1);
    expect(stderr).toMatch(/expiresAt/);
  });

  test('prints the key once, in a few readable lines', async () => {
    const { code, stdout } = await run('key', 'create', '--customer', '7', '--scope', 'read');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Key +eg_r_[A-Za-z0-9_-]{43}$/m);
    expect(stdout).toContain('Store the key now');
  });
});

describe('key list and key revoke', () => {
  test('list every key without its secret part, and mark revoked keys', async () => {
    const { id, key } = await json('key', 'create', '--customer', '7', '--scope', 'read');
    expect(await json('key', 'revoke', id)).toMatchObject({
      id,
      state: 'revoked',
      revokedAt: expect.stringMatching(/Z$/),
    });

    const listed = await run('key', 'list', '--json');
    const { data } = JSON.parse(listed.stdout);
    expect(data[0]).toMatchObject({
      id,
      scope: 'read',
      state: 'revoked',
      customerId: 7,
      prefix: key.slice(0, 11),
    });
    expect(data[0].revokedAt).not.toBeNull();
    expect(listed.stdout).not.toContain(key);

    const { stdout } = await run('key', 'list');
    expect(stdout).toMatch(new RegExp(`^${id} .* revoked `, 'm'));
    expect(stdout).not.toContain(key);
  });

  test('fail for an unknown key with its name, also as JSON', async () => {
    const { code, stdout, stderr } = await run('key', 'revoke', 'nothing', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'NOT_FOUND', message: 'API key nothing does not exist.' },
    });
    expect(stderr).toBe('API key nothing does not exist.\n');
  });
});

describe('tenant create', () => {
  test('creates a tenant, and rejects a second one for the same customer', async () => {
    const args = ['tenant', 'create', '--customer', '10', '--org', 'org_ten', '--name', 'Ten'];
    expect(await json(...args)).toMatchObject({ customerId: 10, orgId: 'org_ten', name: 'Ten' });
    const { code, stderr } = await run(...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/already exists; use another value\.\n$/);
  });
});

describe('doctor', () => {
  test('reports a new database as healthy, and warns that it has no authentication and that no job has run', async () => {
    const { ok, checks } = await json('doctor');
    expect(ok).toBe(true);
    const levels = Object.fromEntries(
      checks.map(({ check, level }: { check: string; level: string }) => [check, level]),
    );
    expect(levels).toMatchObject({
      node: 'ok',
      // The test database has no authentication.
      configuration: 'warn',
      database: 'ok',
      transactions: 'ok',
      'write concern': 'ok',
    });
    expect(levels).toMatchObject({
      clock: 'ok',
      indexes: 'ok',
      encryption: 'ok',
      jobs: 'warn',
      sidecar: 'ok',
    });
  });
});

describe('key update', () => {
  test('changes what it names, removes what --clear names, and records both in the audit log', async () => {
    const { id } = await json('key', 'create', '--customer', '7', '--scope', 'write', '--resource', 'events');
    const limits = ['--name', 'CRM', '--network', '192.0.2.0/24', '--network', '192.0.2.9'];
    const changed = await json('key', 'update', id, ...limits);
    expect(changed).toMatchObject({ name: 'CRM', resources: ['events'], expiresAt: null });
    expect(changed.networks).toEqual(['192.0.2.0/24', '192.0.2.9/32']);
    const cleared = await json(
      'key',
      'update',
      id,
      '--clear',
      'name',
      'resource',
      '--network',
      '2001:db8::/32',
    );
    expect(cleared).toMatchObject({ name: null, resources: null, networks: ['2001:db8::/32'] });
    const { stdout } = await run('audit', 'export', '--customer', '7');
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { before, after } = entries.findLast(({ action }) => action === 'updateApiKey');
    expect(before).toEqual({ name: 'CRM', resources: ['events'], networks: changed.networks });
    expect(after).toEqual({ name: null, resources: null, networks: ['2001:db8::/32'] });
  });

  test.each([
    [[], 'There is nothing to change'],
    [['--name', 'a', '--clear', 'name'], 'Use either --name or --clear name'],
    [['--network', '0.0.0.0/0'], 'Must be an IP address or a CIDR range'],
    [['--name', 'x'.repeat(101)], 'at most 100 characters'],
    [['--resource', 'nothing'], 'Allowed choices are'],
  ])('with %j is a usage error', async (options, message) => {
    const { code, stderr } = await run('key', 'update', 'f'.repeat(24), ...options);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test('of an unknown key fails with its id', async () => {
    const { code, stderr } = await run('key', 'update', 'nothing', '--name', 'a');
    expect([code, stderr]).toEqual([1, 'API key nothing does not exist.\n']);
  });
});

describe('key rotate', () => {
  test('creates a key with the same properties, and keeps the previous one for the overlap', async () => {
    const limits = ['--name', 'CRM', '--resource', 'events', 'drift', '--network', '192.0.2.0/24'];
    const old = await json('key', 'create', '--customer', '7', '--scope', 'write', ...limits);
    expect(old).toMatchObject({ name: 'CRM', resources: ['events', 'drift'], networks: ['192.0.2.0/24'] });
    const next = await json('key', 'rotate', old.id, '--overlap', '60');
    expect(next.key).toMatch(API_KEY_PATTERN);
    expect(next).toMatchObject({ name: 'CRM', resources: ['events', 'drift'], createdBy: { type: 'cli' } });
    const { data } = await json('key', 'list', '--text', 'crm', '--customer', '7', '--state', 'active');
    expect(data.map(({ id }: { id: string }) => id)).toEqual([next.id, old.id]);
  });
});

describe('tenant suspend and tenant resume', () => {
  test('change the state of a customer, and say so', async () => {
    await json('tenant', 'create', '--customer', '601', '--org', 'org_601', '--name', 'Late payer');
    const suspended = await json('tenant', 'suspend', '--customer', '601');
    expect(suspended).toMatchObject({ customerId: 601, suspendedAt: expect.any(String) });
    const { stdout } = await run('tenant', 'resume', '--customer', '601');
    expect(stdout).toBe('Customer 601 is no longer suspended.\n');
    expect((await run('tenant', 'suspend', '--customer', '602')).code).toBe(1);
  });
});

describe('tenant list', () => {
  test('prints every customer, as a table or as JSON', async () => {
    await json('tenant', 'create', '--customer', '501', '--org', 'org_listed', '--name', 'Listed');
    const { data } = await json('tenant', 'list');
    expect(data).toContainEqual(
      expect.objectContaining({ customerId: 501, orgId: 'org_listed', name: 'Listed' }),
    );
    const { code, stdout } = await run('tenant', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^CUSTOMER +ORGANIZATION +NAME/);
    expect(stdout).toMatch(/^501 +org_listed +Listed +no /m);
  });
});

test.each([
  [['tennant', 'list'], 'tenant'],
  [['key', 'lst'], 'list'],
  [['doctr'], 'doctor'],
  [['key', 'list', '--jsn'], '--json'],
])('a mistyped command is a usage error with a suggestion: %s', async (args, suggestion) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(`(Did you mean ${suggestion}?)`);
});
