import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCipher } from '../../src/platform/cipher.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { temporaryDir, withDatabase } from '../support/embedded.ts';

const newKey = () => randomBytes(32).toString('hex');

/** A production environment on a database of its own. */
const production = (env: Record<string, string> = {}) => ({
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PORT: '0',
  MONGODB_URI: freshDatabase(),
  CONNECTOR_ENCRYPTION_KEY: newKey(),
  ...env,
});

/** Starts the service, stops it once it listens, and returns its log. */
async function logOf(env: NodeJS.ProcessEnv): Promise<{ level: string; variable?: string }[]> {
  const service = startCommand(['serve'], env);
  await service.printed(/"msg":"listening"/);
  const { code, stdout } = await service.interrupt();
  expect(code).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const warnings = (log: Awaited<ReturnType<typeof logOf>>) =>
  log.flatMap(({ level, variable }) => (level === 'warn' && variable ? [variable] : [])).sort();

test.each(['0', 'f', 'ab'])(
  'production rejects an encryption key of equal bytes: %s…',
  async (digits) => {
    const key = digits.repeat(64 / digits.length);
    const { code, stdout, stderr } = await runCommand(
      ['serve'],
      production({ CONNECTOR_ENCRYPTION_KEY: `${newKey()},${key}` }),
    );
    expect(code).toBe(78);
    expect(stderr).toMatch(/^CONNECTOR_ENCRYPTION_KEY: .*key 2 of 2 .*equal.*\n$/);
    expect(stdout + stderr).not.toContain(key);
  },
  120_000,
);

test('production reads its secrets from files, and refuses a secret that is set twice', async () => {
  await using dir = await temporaryDir();
  const { CONNECTOR_ENCRYPTION_KEY: key, MONGODB_URI: uri, ...env } = production();
  const [keyFile, uriFile] = [join(dir.path, 'encryption.key'), join(dir.path, 'uri')];
  await writeFile(keyFile, `${key}\n`);
  await writeFile(uriFile, `${uri}\n`);
  const inFiles = { CONNECTOR_ENCRYPTION_KEY_FILE: keyFile, MONGODB_URI_FILE: uriFile };
  await logOf({ ...env, ...inFiles, CONNECTOR_ENCRYPTION_KEY: undefined });

  const twice = await runCommand(
    ['serve'],
    production({ CONNECTOR_ENCRYPTION_KEY: key, CONNECTOR_ENCRYPTION_KEY_FILE: keyFile }),
  );
  expect(twice.code).toBe(78);
  expect(twice.stderr).toMatch(
    /^CONNECTOR_ENCRYPTION_KEY_FILE: is set as well as CONNECTOR_ENCRYPTION_KEY; .*\n$/,
  );
});

test.each([
  ['a signing secret', 'webhookEndpoints', 'secret'],
  ['a provider key', 'recorderConnections', 'encryptedApiKey'],
  ['the key of an audit log', 'auditHeads', 'key'],
])(
  'production refuses to start while %s is encrypted under a key that is not configured',
  async (_name, collection, field) => {
    const [older, newer] = [newKey(), newKey()];
    const env = production({ CONNECTOR_ENCRYPTION_KEY: newer });
    const ciphertext = createCipher([older]).encrypt('secret', 'owner');
    await withDatabase(env.MONGODB_URI, (db) => db.collection(collection).insertOne({ [field]: ciphertext }));

    const refused = await runCommand(['serve'], env);
    expect(refused.code).toBe(78);
    expect(refused.stderr).toMatch(/^CONNECTOR_ENCRYPTION_KEY: .*not configured.*\n$/);
    expect(refused.stdout).not.toContain('listening');

    await logOf({ ...env, CONNECTOR_ENCRYPTION_KEY: `${newer},${older}` });
  },
  120_000,
);

test('each risky setting causes a warning at startup and a finding of doctor, which name its variable', async () => {
  const risky = production({
    RATE_LIMIT: 'off',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    RECORDER_API_URL: 'http://127.0.0.1:1',
    ML_SIDECAR_URL: 'http://127.0.0.1:1',
  });
  // The database of the tests has no authentication.
  const variables = [
    'MONGODB_URI',
    'ML_SIDECAR_URL',
    'RATE_LIMIT',
    'RECORDER_API_URL',
    'WEBHOOK_ALLOW_PRIVATE_TARGETS',
  ].sort();
  expect(warnings(await logOf(risky))).toEqual(variables);

  const doctor = await runCommand(['doctor', '--json'], risky);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { level: string; message: string }[] };
  for (const variable of variables)
    expect(checks).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining(variable) }),
    );
});

test('safe settings cause no warning', async () => {
  const safe = production({
    RECORDER_API_URL: 'https://recorder.example.com',
    ML_SIDECAR_URL: 'https://ml.example.com',
  });
  expect(warnings(await logOf(safe))).toEqual(['MONGODB_URI']);
});
