import { type Config, ConfigError } from '../../config/config.ts';
import type { Backend } from '../../runtime/backend.ts';
import { allNodes } from '../all-nodes.ts';
import { newCommand } from '../command.ts';
import { commandConfig, openCommandBackend } from '../command-backend.ts';
import {
  checkAuthentication,
  checkClock,
  checkIndexes,
  checkJobs,
  checkKeys,
  checkSecrets,
  checkTopology,
  checkTransactions,
  checkVulnerability,
  checkWriteConcern,
} from '../doctor/database-checks.ts';
import { mongoProbes } from '../doctor/database-probes.ts';
import { type Finding, fail, messageOf } from '../doctor/findings.ts';
import { checkConfig, checkDisk, checkNode, checkProxy, checkSidecar } from '../doctor/machine-checks.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { print, printable } from '../output/text-output.ts';

/** Runs the checks that need an open database. */
async function checkBackend(config: Config, { connection, cipher, services }: Backend): Promise<Finding[]> {
  const probes = mongoProbes(connection);
  const now = new Date();
  return Promise.all([
    checkTopology(probes),
    ...(config.embedded ? [] : [checkAuthentication(probes)]),
    checkVulnerability(probes),
    checkTransactions(probes),
    checkWriteConcern(probes),
    checkClock(probes),
    checkIndexes(probes),
    checkSecrets(probes, cipher),
    checkKeys(() => allNodes(services.keys.list), now),
    checkJobs(probes, now),
  ]);
}

/** Runs all checks; each assumes that all previous checks passed. */
async function runChecks(): Promise<Finding[]> {
  const node = checkNode(process.versions.node);
  const config = readOrError();
  if (config instanceof ConfigError) return [node, ...checkConfig(config)];

  const findings = [
    node,
    ...checkConfig(config),
    await checkDisk(config),
    await checkSidecar(config),
    await checkProxy(config),
  ];
  let backend: Backend;
  try {
    backend = await openCommandBackend(config);
  } catch (error) {
    return [...findings, fail('database', messageOf(error), 'Start the database or correct MONGODB_URI.')];
  }
  try {
    return [...findings, ...(await checkBackend(config, backend))];
  } finally {
    await backend.close();
  }
}

function readOrError() {
  try {
    return commandConfig();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

const line = ({ check, level, message, action }: Finding): string =>
  printable(
    `${level.padEnd(4)}  ${check.padEnd(13)}  ${message.replace(/\.$/, '')}${action ? `. ${action}` : ''}`,
  );

/** `doctor`: checks an installation; exit code 1 if a check fails. */
export const doctor = () =>
  newCommand('doctor', 'check the configuration, database, keys, sidecar, outbound proxy and jobs').action(
    async ({ json }: { json: boolean }) => {
      const checks = await runChecks();
      const healthy = !checks.some(({ level }) => level === 'fail');
      print({ json, result: { ok: healthy, checks }, text: checks.map(line).join('\n') });
      if (!healthy) process.exitCode = EXIT_FAILURE;
    },
  );
