import { Option } from 'commander';
import { ROLES, type Role, readConfig } from '../config.ts';
import { createLogger } from '../platform/logger.ts';
import { stderrLog } from './backend.ts';
import { newCommand } from './command.ts';
import { print } from './output.ts';

interface Options {
  role?: Role;
  json: boolean;
}

/** `serve`: runs the service until it is told to stop; what `npm start` does. */
export const serveCommand = () =>
  newCommand('serve', 'run the service')
    .addOption(new Option('--role <role>', 'what this process does (default: ROLE)').choices(ROLES))
    .action(async ({ role, json }: Options) => {
      const config = readConfig(role ? { ROLE: role } : {});
      const { serve } = await import('../app.ts');
      await serve(config, json ? stderrLog(config.logLevel) : createLogger(config.logLevel));
      if (json) print(json, { role: config.role, stopped: true }, '');
    });
