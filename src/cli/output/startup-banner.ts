import type { Config } from '../../config/config.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunningService } from '../../runtime/app.ts';

type Started = Pick<RunningService, 'url' | 'demo'>;

/** Logs the service's address and, in embedded mode, prints its URLs and demo keys on stderr. */
export function printBanner(config: Config, { url, demo }: Started, log: Logger): void {
  const { role, embedded, workers } = config;
  log.info({ url, role, embedded, workers }, 'listening');
  if (!demo) return;
  const targets = config.webhookAllowPrivateTargets
    ? 'Webhook targets may be http: and private addresses; WEBHOOK_ALLOW_PRIVATE_TARGETS=false forbids them.'
    : 'Webhook targets must be public https: addresses.';
  // Without a loopback address, no page contains a key.
  const token = config.loopback ? `?demo=${demo.graphiqlToken}  (with the demo keys, once)` : '';
  const lines = [
    '',
    `  Console            ${url}/console`,
    `  GraphiQL           ${url}/graphql${token}`,
    `  REST docs          ${url}/api/v1/docs`,
    `  REST docs, preview ${url}/v1/docs`,
    `  REST docs, drift   ${url}/api/docs`,
    `  Health             ${url}/api/health`,
    '',
    `  Demo customer      ${demo.customerId} (${demo.orgId})`,
    ...demo.keys.map(({ scope, key }) => `  ${`Demo ${scope} key`.padEnd(18)} ${key}`),
    `  Keys are stored in ${config.dataDir}/demo.env`,
    '',
    `  ${targets}`,
    '',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}
