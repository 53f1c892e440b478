import { withBackend } from './backend.ts';
import { newCommand } from './command.ts';
import { print } from './output.ts';

/** `secrets rotate`: after it, the older keys of `CONNECTOR_ENCRYPTION_KEY` can be taken away. */
export const secretsRotate = () =>
  newCommand(
    'rotate',
    'encrypt every stored secret anew, under the first key of CONNECTOR_ENCRYPTION_KEY',
  ).action(async ({ json }: { json: boolean }) => {
    const result = await withBackend(async ({ cipher, rotateSecrets }) => {
      const { checked, reencrypted } = await rotateSecrets();
      return { checked, resealed: reencrypted, keyId: cipher.primaryKeyId };
    });
    const { checked, resealed, keyId } = result;
    print(
      json,
      result,
      `${resealed} of ${checked} stored secrets were encrypted anew; all are under key ${keyId}.`,
    );
  });
