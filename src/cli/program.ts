import type { Command } from 'commander';
import { newGroup } from './command.ts';
import { conversationsImport } from './conversations-import.ts';
import { demoProvider } from './demo-provider.ts';
import { demoSeed } from './demo-seed.ts';
import { doctor } from './doctor.ts';
import { keyCreate } from './key-create.ts';
import { keyList } from './key-list.ts';
import { keyRevoke } from './key-revoke.ts';
import { receiver } from './receiver.ts';
import { secretsRotate } from './secrets-rotate.ts';
import { serveCommand } from './serve.ts';
import { sidecar } from './sidecar.ts';
import { tenantCreate } from './tenant-create.ts';

/** The operator's command line: every command there is. */
export const buildProgram = (): Command =>
  newGroup('engagement', 'Operate the customer engagement service.', [
    serveCommand(),
    newGroup('tenant', 'customers of the service', [tenantCreate()]),
    newGroup('key', 'API keys', [keyCreate(), keyList(), keyRevoke()]),
    newGroup('secrets', 'stored secrets', [secretsRotate()]),
    newGroup('conversations', 'what visitors have said', [conversationsImport()]),
    newGroup('demo', 'what to try things out with', [demoSeed(), demoProvider()]),
    receiver(),
    sidecar(),
    doctor(),
  ]).enablePositionalOptions(); // `sidecar` has options of its own beside those of `sidecar load`
