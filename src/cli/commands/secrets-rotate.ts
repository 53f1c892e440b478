import type { AuditState } from '../../features/audit/audit.types.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { print } from '../output/text-output.ts';

const ROTATION = {
  customerId: null,
  action: 'rotateSecrets',
  target: { type: 'encryptionKey', id: null },
  describe: (result: object): AuditState => ({ ...result }),
};

/** `secrets rotate`: re-encrypts the stored secrets, so that the older keys of `CONNECTOR_ENCRYPTION_KEY` can be removed. */
export const secretsRotate = () =>
  newCommand(
    'rotate',
    're-encrypt every stored secret with the first key of CONNECTOR_ENCRYPTION_KEY',
  ).action(async ({ json }: { json: boolean }) => {
    const result = await withBackend(({ services, cipher, rotateSecrets }) =>
      performed(services, ROTATION, async () => {
        const { checked, reencrypted } = await rotateSecrets();
        return { checked, reencrypted, keyId: cipher.primaryKeyId };
      }),
    );
    const { checked, reencrypted, keyId } = result;
    const text = `Re-encrypted ${reencrypted} of ${checked} stored secrets; all are encrypted with key ${keyId}.`;
    print({ json, result, text });
  });
