import type { Command } from 'commander';
import { serviceVersion } from '../platform/project-files.ts';
import { newGroup } from './command.ts';
import { audit } from './commands/audit.ts';
import { conversationsExport } from './commands/conversations-export.ts';
import { conversationsFind } from './commands/conversations-find.ts';
import { conversationsImport } from './commands/conversations-import.ts';
import { demoProvider } from './commands/demo-provider.ts';
import { demoSeed } from './commands/demo-seed.ts';
import { doctor } from './commands/doctor.ts';
import { endpoints } from './commands/endpoints.ts';
import { explain } from './commands/explain.ts';
import { exportCommand } from './commands/export.ts';
import { keyCreate } from './commands/key-create.ts';
import { keyList } from './commands/key-list.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { keyRotate } from './commands/key-rotate.ts';
import { keyUpdate } from './commands/key-update.ts';
import { listen } from './commands/listen.ts';
import { conversationsDelete, meetingsDelete } from './commands/object-deletion.ts';
import { personErase } from './commands/person-erase.ts';
import { piiDecrypt, piiEncrypt } from './commands/pii-conversion.ts';
import { receiver } from './commands/receiver.ts';
import { retention } from './commands/retention.ts';
import { secretsRotate } from './commands/secrets-rotate.ts';
import { serveCommand } from './commands/serve.ts';
import { shard } from './commands/shard.ts';
import { sidecar } from './commands/sidecar.ts';
import { suppressionLift } from './commands/suppression-lift.ts';
import { suppressionList } from './commands/suppression-list.ts';
import { tenantCreate } from './commands/tenant-create.ts';
import { tenantDelete } from './commands/tenant-delete.ts';
import { tenantList } from './commands/tenant-list.ts';
import { tenantResume, tenantSuspend } from './commands/tenant-suspension.ts';

/** Builds the command line with all commands. */
export const buildProgram = (): Command =>
  newGroup('engagement', 'Operate the customer engagement service.', [
    serveCommand(),
    newGroup('tenant', 'customers of the service', [
      tenantCreate(),
      tenantList(),
      tenantSuspend(),
      tenantResume(),
      tenantDelete(),
    ]),
    newGroup('key', 'API keys', [keyCreate(), keyList(), keyUpdate(), keyRotate(), keyRevoke()]),
    newGroup('secrets', 'stored secrets', [secretsRotate()]),
    newGroup('conversations', 'conversations with visitors', [
      conversationsImport(),
      conversationsExport(),
      conversationsFind(),
      conversationsDelete(),
    ]),
    newGroup('meetings', 'meeting recordings', [meetingsDelete()]),
    personErase(),
    exportCommand(),
    newGroup('suppressions', 'suppressed identifiers of erased people and deleted meetings', [
      suppressionList(),
      suppressionLift(),
    ]),
    newGroup('pii', 'encryption of stored personal data', [piiEncrypt(), piiDecrypt()]),
    retention(),
    newGroup('demo', 'demo data and the demo meeting provider', [demoSeed(), demoProvider()]),
    audit(),
    endpoints(),
    explain(),
    receiver(),
    listen(),
    sidecar(),
    doctor(),
    shard(),
  ])
    .version(serviceVersion(), '--version', 'print the version')
    .enablePositionalOptions(); // `sidecar` and `sidecar load` each have their own options.
