import { Option } from 'commander';
import { SCOPES, type Scope } from '../../features/tenants/scopes.ts';
import { KEY_STATES, type KeyState } from '../../shared/key-limits.ts';
import { allNodes } from '../all-nodes.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { customerId, shortText } from '../option-parsers.ts';
import { print, table, timestamp } from '../output/text-output.ts';

interface Options {
  customer?: number;
  scope?: Scope;
  state?: KeyState;
  text?: string;
  json: boolean;
}

const HEADINGS = [
  ...['ID', 'NAME', 'KEY', 'SCOPE', 'CUSTOMER', 'STATE', 'RESOURCES', 'NETWORKS'],
  ...['CREATED', 'EXPIRES', 'LAST USED', 'FROM'],
];

async function list({ customer, scope, state, text, json }: Options): Promise<void> {
  const filter = {
    ...{ customerId: customer ?? null, scope: scope ?? null },
    ...{ state: state ?? null, text: text ?? null },
  };
  const keys = await withBackend(({ services }) => allNodes((page) => services.keys.list(page, filter)));
  const rows = keys.map((key) => [
    key.id,
    key.name ?? '-',
    `${key.prefix}…`,
    key.scope,
    key.customerId ?? '-',
    key.state,
    key.resources?.join(' ') ?? 'all',
    key.networks?.join(' ') ?? 'all',
    timestamp(key.createdAt),
    timestamp(key.expiresAt),
    timestamp(key.lastUsedAt),
    key.lastUsedAddress ?? '-',
  ]);
  print({
    json,
    result: { data: keys },
    text: rows.length > 0 ? table(HEADINGS, rows) : 'There are no API keys.',
  });
}

/** `key list`: lists API keys without their secret part. */
export const keyList = () =>
  newCommand('list', 'list the API keys, newest first')
    .option('--customer <n>', 'only keys of this customer', customerId)
    .addOption(new Option('--scope <scope>', 'only keys of this scope').choices(SCOPES))
    .addOption(new Option('--state <state>', 'only keys in this state').choices(KEY_STATES))
    .option('--text <text>', 'only keys whose name or first characters contain this text', shortText)
    .action(list);
