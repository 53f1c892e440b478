import type { RunningService } from '../../app.ts';
import type { Config } from '../../config.ts';
import type { Logger } from '../../platform/logger.ts';

/** Says where the service is and, for people who try it out, how to get in. */
export function announce(config: Config, { url, demo }: RunningService, log: Logger): void {
  log.info({ url, role: config.role, embedded: config.embedded }, 'listening');
  if (!demo) return;
  const targets = config.webhookAllowPrivateTargets
    ? 'Webhooks may go to http: and private addresses (embedded mode; WEBHOOK_ALLOW_PRIVATE_TARGETS=false forbids it).'
    : 'Webhooks go to public https: addresses only.';
  const lines = [
    '',
    `  Console            ${url}/console`,
    `  GraphiQL           ${url}/graphql`,
    `  REST docs          ${url}/api/v1/docs`,
    `  REST docs, preview ${url}/v1/docs`,
    `  REST docs, drift   ${url}/api/docs`,
    `  Health             ${url}/api/health`,
    '',
    `  Demo customer      ${demo.customerId} (${demo.orgId})`,
    ...demo.keys.map(({ scope, key }) => `  ${`Demo ${scope} key`.padEnd(18)} ${key}`),
    `  The keys are also in ${config.dataDir}/demo.env`,
    '',
    `  ${targets}`,
    '',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}
