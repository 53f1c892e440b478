import { Option } from 'commander';
import { keyState } from '../../features/audit/audited-states.ts';
import { KEY_RESOURCES, type KeyResource } from '../../shared/key-limits.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { isoDate, keyName, networks } from '../option-parsers.ts';
import { UsageError } from '../output/command-failure.ts';
import { fields, print, timestamp } from '../output/text-output.ts';

/** Options whose value can be removed. */
const CLEARABLE = ['name', 'resource', 'network', 'expires'] as const;
type Clearable = (typeof CLEARABLE)[number];

interface Options {
  name?: string;
  resource?: KeyResource[];
  network?: string[];
  expires?: Date;
  clear?: Clearable[];
  json: boolean;
}

/** @throws UsageError without a change, or for a value that is both set and removed */
function patchOf(options: Options) {
  const { clear = [] } = options;
  const contradicted = clear.find((name) => options[name] !== undefined);
  if (contradicted) throw new UsageError(`Use either --${contradicted} or --clear ${contradicted}.`);
  const optionOf = <Name extends Clearable>(name: Name): Options[Name] | null =>
    clear.includes(name) ? null : options[name];
  const resources = optionOf('resource');
  const patch = {
    name: optionOf('name'),
    resources: resources && [...new Set(resources)],
    networks: optionOf('network'),
    expiresAt: optionOf('expires'),
  };
  if (Object.values(patch).every((value) => value === undefined))
    throw new UsageError(
      'There is nothing to change; use --name, --resource, --network, --expires or --clear.',
    );
  return patch;
}

async function update(id: string, options: Options): Promise<void> {
  const patch = patchOf(options);
  const key = await withBackend(async ({ services }) => {
    const previous = await services.keys.get(id);
    const act = {
      customerId: previous.customerId,
      action: 'updateApiKey',
      target: { type: 'apiKey', id },
      before: keyState(previous),
      describe: keyState,
    };
    return performed(services, act, () => services.keys.update(id, patch));
  });
  const text = fields({
    Id: key.id,
    Name: key.name ?? '-',
    Resources: key.resources?.join(', ') ?? 'all',
    Networks: key.networks?.join(', ') ?? 'all',
    Expires: timestamp(key.expiresAt),
  });
  print({ json: options.json, result: key, text });
}

/** `key update`: changes the name, the limits and the expiry time of an API key. */
export const keyUpdate = () =>
  newCommand('update', 'change the name, the limits and the expiry time of an API key')
    .argument('<id>', 'id of the key, see key list')
    .option('--name <text>', 'name of the key', keyName)
    .addOption(
      new Option(
        '--resource <names...>',
        'resources that the key is limited to, instead of its present ones',
      ).choices(KEY_RESOURCES),
    )
    .option(
      '--network <cidr>',
      'address or CIDR range of the clients that may use the key, instead of its present ones; repeatable',
      networks,
    )
    .option('--expires <iso>', 'expiry time, such as 2027-01-31T12:00:00Z', isoDate)
    .addOption(
      new Option('--clear <names...>', 'remove the name, a limit or the expiry time').choices(CLEARABLE),
    )
    .action(update);
