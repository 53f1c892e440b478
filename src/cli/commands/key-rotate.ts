import { operatorActor } from '../../features/audit/audit-actor.ts';
import { MAX_KEY_OVERLAP_SECONDS } from '../../shared/key-limits.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { wholeNumber } from '../option-parsers.ts';
import { fields, print, timestamp } from '../output/text-output.ts';

interface Options {
  overlap: number;
  json: boolean;
}

async function rotate(id: string, { overlap, json }: Options): Promise<void> {
  const { apiKey, key } = await withBackend(async ({ services }) => {
    const act = {
      customerId: (await services.keys.find(id))?.customerId ?? null,
      action: 'rotateApiKey',
      target: { type: 'apiKey', id },
      describe: (created: { apiKey: { id: string } }) => ({
        replacedBy: created.apiKey.id,
        overlapSeconds: overlap,
      }),
    };
    return performed(services, act, () =>
      services.keys.rotate(id, { overlapSeconds: overlap, createdBy: operatorActor() }),
    );
  });
  const previous = overlap === 0 ? 'is revoked' : `stays valid for ${overlap} seconds`;
  const text = fields({ Key: key, Id: apiKey.id, Expires: timestamp(apiKey.expiresAt) });
  print({
    json,
    result: { ...apiKey, key },
    text: `${text}\n\nThe previous key ${previous}. Store the new one now; it cannot be displayed again.`,
  });
}

/** `key rotate`: replaces an API key by a new one with the same properties. */
export const keyRotate = () =>
  newCommand('rotate', 'replace an API key by a new one with the same properties')
    .argument('<id>', 'id of the key, see key list')
    .option(
      '--overlap <seconds>',
      'seconds for which the previous key stays valid',
      wholeNumber(0, MAX_KEY_OVERLAP_SECONDS),
      0,
    )
    .action(rotate);
