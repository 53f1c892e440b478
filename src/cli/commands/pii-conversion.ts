import { AppError } from '../../errors/app-error.ts';
import type { AuditState } from '../../features/audit/audit.types.ts';
import type { ConvertedCollection } from '../../features/privacy/field-conversion.ts';
import { allNodes } from '../all-nodes.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { EXIT_FAILURE } from '../output/command-failure.ts';
import { createProgressBar } from '../output/progress-bar.ts';
import { count, print, table } from '../output/text-output.ts';

type Direction = 'encrypt' | 'decrypt';

const SETTING = { encrypt: 'on', decrypt: 'off' } as const;

const actOf = (direction: Direction) => ({
  customerId: null,
  action: `${direction}PersonalData`,
  target: { type: 'personalData' as const, id: null },
  describe: (collections: ConvertedCollection[]): AuditState =>
    Object.fromEntries(collections.map(({ collection, converted }) => [collection, converted])),
});

/** @throws AppError unless the service stores new data in the same form */
function requireSetting(direction: Direction, encrypts: boolean): void {
  if (encrypts === (direction === 'encrypt')) return;
  throw new AppError(
    'CONFLICT',
    `Requires PII_ENCRYPTION=${SETTING[direction]}: set it for every process of the service, restart them, and run the command with the same setting.`,
  );
}

async function convert(direction: Direction, json: boolean): Promise<void> {
  const collections = await withBackend(async ({ services }) => {
    const { fieldConversion, tenants } = services;
    requireSetting(direction, fieldConversion.encrypts);
    const all = await allNodes(tenants.list);
    const bar = createProgressBar('{converted} documents  {duration_formatted}', { converted: '0' });
    const onProgress = ({ doneTenants, converted }: { doneTenants: number; converted: number }) =>
      bar.update(doneTenants, all.length, { converted: count(converted) });
    try {
      return await performed(services, actOf(direction), () =>
        fieldConversion.run({ tenants: all, onProgress }),
      );
    } finally {
      bar.stop();
    }
  });
  const text = table(
    ['COLLECTION', 'CONVERTED', 'UNREADABLE', 'SKIPPED'],
    collections.map(({ collection, converted, unreadable, skipped }) => [
      collection,
      count(converted),
      count(unreadable),
      count(skipped),
    ]),
  );
  print({ json, result: { data: collections }, text });
  if (collections.some(({ unreadable, skipped }) => unreadable + skipped > 0))
    process.exitCode = EXIT_FAILURE;
}

/** `pii encrypt`: encrypts the personal data that was stored before `PII_ENCRYPTION=on`. */
export const piiEncrypt = () =>
  newCommand(
    'encrypt',
    'encrypt stored personal data that is in plain text; a run that was interrupted is repeated',
  ).action(({ json }: { json: boolean }) => convert('encrypt', json));

/** `pii decrypt`: decrypts all stored personal data, after `PII_ENCRYPTION=off`. */
export const piiDecrypt = () =>
  newCommand(
    'decrypt',
    'decrypt stored personal data that is encrypted; a run that was interrupted is repeated',
  ).action(({ json }: { json: boolean }) => convert('decrypt', json));
