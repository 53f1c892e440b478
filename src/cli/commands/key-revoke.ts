import { keyState } from '../../features/audit/audited-states.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { print } from '../output/text-output.ts';

/** `key revoke`: revokes an API key; every process rejects it from then on. */
export const keyRevoke = () =>
  newCommand('revoke', 'revoke an API key')
    .argument('<id>', 'id of the key, see key list')
    .action(async (id: string, { json }: { json: boolean }) => {
      const key = await withBackend(async ({ services }) => {
        const act = {
          customerId: (await services.keys.find(id))?.customerId ?? null,
          action: 'revokeApiKey',
          target: { type: 'apiKey', id },
          describe: keyState,
        };
        return performed(services, act, () => services.keys.revoke(id));
      });
      print({
        json,
        result: key,
        text: `Revoked API key ${key.id} (${key.prefix}…).`,
      });
    });
