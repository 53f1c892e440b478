import { UNAUTHENTICATED_DATABASE, vulnerableServer } from '../../config/risks.ts';
import { apiKeyState } from '../../features/tenants/api-key.ts';
import type { ApiKey } from '../../features/tenants/tenants.types.ts';
import { isOverdue } from '../../jobs/job-runs.ts';
import type { Cipher } from '../../platform/cipher.ts';
import { timestamp } from '../output/text-output.ts';
import type { DoctorProbes } from './database-probes.ts';
import { check, type Finding, fail, ok, warn } from './findings.ts';
import { riskFinding } from './machine-checks.ts';

/** Number of stored secrets that are decrypted per collection. */
const SECRET_SAMPLE = 50;
/** Leases last at most 30 s: with more skew, a process would claim the work of a live process. */
const SKEW_FAIL_MS = 30_000;
const SKEW_WARN_MS = 1000;

export const checkTopology = (probes: DoctorProbes): Promise<Finding> =>
  check(
    'database',
    'Check that MONGODB_URI names a running database that this machine can reach.',
    async () => {
      const start = performance.now();
      const { replicaSet, sharded, version } = await probes.hello();
      const latency = `MongoDB ${version}, ${Math.round(performance.now() - start)} ms`;
      if (replicaSet) return ok('database', `replica set ${replicaSet}, ${latency}`);
      if (sharded) return ok('database', `sharded cluster, ${latency}`);
      return fail(
        'database',
        `standalone server, ${latency}`,
        'Convert it to a replica set with rs.initiate(); one member is sufficient.',
      );
    },
  );

/** Checks that the database requires authentication. */
export const checkAuthentication = (probes: DoctorProbes): Promise<Finding> =>
  check('authentication', 'Check the connection to the database.', async () =>
    (await probes.authenticated())
      ? ok('authentication', 'connected as an authenticated user')
      : riskFinding(UNAUTHENTICATED_DATABASE),
  );

/** Checks that the server has the fix of CVE-2025-14847, or rejects the messages that use it. */
export const checkVulnerability = (probes: DoctorProbes): Promise<Finding> =>
  check('vulnerability', 'Check the connection to the database.', async () => {
    const found = await probes.vulnerability();
    const risk = vulnerableServer(found);
    if (risk) return riskFinding(risk);
    return ok(
      'vulnerability',
      found
        ? `MongoDB ${found.version} has CVE-2025-14847, fixed in ${found.fixedVersion}, but rejects zlib messages, which it requires`
        : 'the server has the fix of CVE-2025-14847',
    );
  });

export const checkTransactions = (probes: DoctorProbes): Promise<Finding> =>
  check(
    'transactions',
    'Use a replica set or a sharded cluster, and grant the database user the role readWrite.',
    async () => {
      await probes.transaction();
      return ok('transactions', 'a test transaction was committed');
    },
  );

export const checkWriteConcern = (probes: DoctorProbes): Promise<Finding> =>
  check(
    'write concern',
    'Restart the unavailable members of the replica set: a majority must acknowledge each write.',
    async () => {
      const start = performance.now();
      await probes.durableWrite();
      return ok(
        'write concern',
        `a majority acknowledged a journaled write in ${Math.round(performance.now() - start)} ms`,
      );
    },
  );

/** Measures the clock skew between this machine and the database, without the round-trip time. */
export const checkClock = (probes: DoctorProbes, now: () => number = Date.now): Promise<Finding> =>
  check('clock', 'Check the connection to the database.', async () => {
    const sentAt = now();
    const { localTime } = await probes.hello();
    const receivedAt = now();
    const databaseTime = localTime.getTime();
    const skew = databaseTime < sentAt ? sentAt - databaseTime : Math.max(0, databaseTime - receivedAt);
    const message = `${skew} ms skew to the database's clock`;
    const action = 'Synchronize both machines with NTP.';
    if (skew >= SKEW_FAIL_MS) return fail('clock', message, action);
    return skew >= SKEW_WARN_MS ? warn('clock', message, action) : ok('clock', message);
  });

export const checkIndexes = (probes: DoctorProbes): Promise<Finding> =>
  check('indexes', 'Grant the database user the listIndexes privilege.', async () => {
    const missing = await probes.missingIndexes();
    if (missing.length === 0) return ok('indexes', 'all present');
    return fail('indexes', `missing: ${missing.join('; ')}`, 'Start the service once: it creates them.');
  });

/** Decrypts a sample of the stored secrets and reports how many of them `secrets rotate` still has to re-encrypt. */
export const checkSecrets = (probes: DoctorProbes, cipher: Cipher): Promise<Finding> =>
  check('encryption', 'Check the connection to the database.', async () => {
    const secrets = await probes.storedSecrets(SECRET_SAMPLE);
    const failures = secrets.flatMap(({ owner, decrypt }) => {
      try {
        decrypt(cipher);
        return [];
      } catch (error) {
        return [`${owner}: ${error instanceof Error ? error.message.replace(/\.$/, '') : error}`];
      }
    });
    const [first] = failures;
    if (first) {
      const message = `${failures.length} of ${secrets.length} stored secrets cannot be decrypted (${first})`;
      return fail(
        'encryption',
        message,
        'Append the key that encrypted them to CONNECTOR_ENCRYPTION_KEY, after a comma.',
      );
    }
    const stale = secrets.filter(({ ciphertext }) => cipher.keyIdOf(ciphertext) !== cipher.primaryKeyId);
    const message = `key ${cipher.primaryKeyId}; ${secrets.length} stored secrets decrypted`;
    if (stale.length === 0) return ok('encryption', message);
    return warn(
      'encryption',
      `${message}, ${stale.length} of them with an older key`,
      'Run secrets rotate before you remove the older key.',
    );
  });

/** Checks that an active admin key exists and reports expired keys. */
export const checkKeys = (load: () => Promise<ApiKey[]>, now: Date): Promise<Finding> =>
  check('keys', 'Check the connection to the database.', async () => {
    const keys = await load();
    const active = keys.filter((key) => apiKeyState(key, now) === 'active');
    const admins = active.filter((key) => key.scope === 'admin').length;
    const expired = keys.filter((key) => apiKeyState(key, now) === 'expired').length;
    const message = `${active.length} active, ${admins} of them admin; ${expired} expired`;
    if (admins === 0) return warn('keys', message, 'Create an admin key: key create --scope admin.');
    if (expired > 0)
      return warn('keys', message, 'Replace the expired keys that are still in use (key list, key create).');
    return ok('keys', message);
  });

export const checkJobs = (probes: DoctorProbes, now: Date): Promise<Finding> =>
  check('jobs', 'Check the connection to the database.', async () => {
    const { lastRunAt, failed } = await probes.jobs();
    const start = 'Start a process with ROLE=worker or ROLE=all.';
    if (!lastRunAt) return warn('jobs', 'no job has run yet', start);
    const message = `last run ${timestamp(lastRunAt)}`;
    const [first] = failed;
    if (first) {
      return warn(
        'jobs',
        `${message}; ${failed.length} failed (${first.name}: ${first.reason})`,
        'See the log of the worker.',
      );
    }
    return isOverdue(lastRunAt, now) ? warn('jobs', message, start) : ok('jobs', message);
  });
