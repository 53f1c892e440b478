import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { print } from '../output/text-output.ts';

/** `key revoke`: refuses a key from now on, in every process. */
export const keyRevoke = () =>
  newCommand('revoke', 'refuse an API key from now on')
    .argument('<id>', 'id of the key, as key list shows it')
    .action(async (id: string, { json }: { json: boolean }) => {
      const key = await withBackend(({ services }) => services.keys.revoke(id));
      print(json, key, `Key ${key.id} (${key.prefix}…) is revoked.`);
    });
