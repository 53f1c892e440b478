import type { Connection } from 'mongoose';
import { type Config, ConfigError } from '../config/config.ts';
import { configRisks, UNAUTHENTICATED_DATABASE, vulnerableServer } from '../config/risks.ts';
import type { Logger } from '../platform/logger.ts';
import { isAuthenticated } from '../platform/mongo/authentication.ts';
import { serverVulnerability } from '../platform/mongo/server-vulnerability.ts';

interface StartupChecks {
  config: Config;
  connection: Connection;
  /** Returns true if a stored secret is encrypted under a key that is not configured. */
  hasUnreadableSecrets(): Promise<boolean>;
  /** False for all workers but one, so that warnings are logged once. */
  warns: boolean;
  log: Logger;
}

const UNREADABLE_SECRETS =
  'the database holds secrets under a key that is not configured; append that key to the list, after a comma';

/**
 * Checks the settings against the database and logs a warning for each risk (contract 2).
 *
 * @throws ConfigError in production if a stored secret is under a key that is not configured: its deliveries or syncs
 *   would fail one by one
 */
export async function checkSettings({ config, connection, hasUnreadableSecrets, warns, log }: StartupChecks) {
  if (await hasUnreadableSecrets()) {
    const variable = 'CONNECTOR_ENCRYPTION_KEY';
    if (config.production) throw new ConfigError([{ variable, message: UNREADABLE_SECRETS }]);
    if (warns) log.warn({ variable }, `${variable}: ${UNREADABLE_SECRETS}`);
  }
  if (!warns) return;
  const risks = configRisks(config);
  if (!config.embedded && !(await isAuthenticated(connection))) risks.push(UNAUTHENTICATED_DATABASE);
  const vulnerable = vulnerableServer(await serverVulnerability(connection));
  if (vulnerable) risks.push(vulnerable);
  for (const { variable, problem, action } of risks)
    log.warn({ variable }, `${variable} ${problem}. ${action}`);
}
