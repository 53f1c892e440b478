import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportedId } from '../../src/features/conversations/import/import.service.ts';
import type { ImportReport } from '../../src/features/conversations/import/import-batches.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { type Running, runCommand, startCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';

/** A key that the service and the commands share, as processes on one database do. */
const ENCRYPTION_KEY = '5e'.repeat(32);

/** A service, and the command line on its database. */
export interface Importing {
  app: TestApp;
  /** Writes a file and gives its path. */
  file(content: string | Buffer | object[]): Promise<string>;
  /** Runs `conversations import --json`, and gives its exit code and its document. */
  importing(
    tenant: TestTenant,
    content: string | Buffer | object[],
    ...more: string[]
  ): Promise<{ code: number | null; report: ImportReport; ids: ImportedId[]; stderr: string }>;
  /** Starts `conversations import` with these arguments only. */
  start(...args: string[]): Running;
  run(...args: string[]): ReturnType<typeof runCommand>;
  /** Runs `conversations find --json`. */
  find(tenant: TestTenant, importId: string): ReturnType<typeof runCommand>;
  /** The file of `conversations export`. */
  exported(tenant: TestTenant): Promise<string>;
  /** Response body of `GET /v1/conversations/:id`. */
  get(tenant: TestTenant, id: string): Promise<{ status: number; body: unknown }>;
  stop(): Promise<void>;
}

export async function startImporting(): Promise<Importing> {
  const mongodbUri = freshDatabase();
  const app = await startApp({ MONGODB_URI: mongodbUri, CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY });
  const dir = await mkdtemp(join(tmpdir(), 'engagement-import-'));
  const env = {
    MONGODB_URI: mongodbUri,
    DATA_DIR: dir,
    CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  };
  let files = 0;
  const file: Importing['file'] = async (content) => {
    files += 1;
    const path = join(dir, `${files}.jsonl`);
    await writeFile(path, Array.isArray(content) ? jsonLines(content) : content);
    return path;
  };
  const run = (...args: string[]) => runCommand(['conversations', 'import', ...args], env);
  return {
    app,
    file,
    run,
    find: ({ customerId }, importId) =>
      runCommand(
        ['conversations', 'find', '--customer', String(customerId), '--import-id', importId, '--json'],
        env,
      ),
    start: (...args) => startCommand(['conversations', 'import', ...args], env),
    async importing(tenant, content, ...more) {
      const { code, stdout, stderr } = await run(
        ...['--customer', String(tenant.customerId), await file(content), '--json', ...more],
      );
      const { ids, ...report } = JSON.parse(stdout) as ImportReport & { ids: ImportedId[] };
      return { code, report, ids, stderr };
    },
    async exported({ customerId }) {
      const path = join(dir, `exported-${customerId}.jsonl`);
      const { code, stderr } = await runCommand(
        ['conversations', 'export', '--customer', String(customerId), path],
        env,
      );
      if (code !== 0) throw new Error(stderr);
      return readFile(path, 'utf8');
    },
    async get(tenant, id) {
      const { status, body } = await app.request('GET', `/v1/conversations/${id}`, { key: tenant.read });
      return { status, body };
    },
    async stop() {
      await app.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const jsonLines = (lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A well-formed id: `family` separates the ids of one test from all others. */
export const idOf = (family: string, n: number): string =>
  `${family.padEnd(12, '0')}${n.toString(16).padStart(12, '0')}`;

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 2, 9, minute)).toISOString();

/** A line as `GET /v1/conversations/:id` answers it: a conversation that the visitor has left. */
export const ended = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  visitor_id: `visitor of ${id}`,
  status: 'ended',
  converted: false,
  goal: null,
  started_at: at(0),
  ended_at: at(9),
  transcript: [
    {
      id: idOf(`c${id.slice(0, 4)}`, 1 + Number.parseInt(id.slice(-6), 16) * 10),
      role: 'visitor',
      text: 'Hello — ça va?',
      sent_at: at(0),
    },
    {
      id: idOf(`c${id.slice(0, 4)}`, 2 + Number.parseInt(id.slice(-6), 16) * 10),
      role: 'bot',
      text: 'Fine.\nAnd you? 🙂',
      sent_at: at(1),
    },
  ],
  identity: null,
  conversion: null,
  ...more,
});

/** A conversation that the bot has closed with a conversion. */
export const converted = (id: string, conversionId: string) =>
  ended(id, {
    status: 'converted',
    converted: true,
    goal: 'demo_booked',
    identity: {
      person_id: 'p_1024',
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Byron',
      company: 'Example Ltd',
      job_title: null,
    },
    conversion: { id: conversionId, type: 'booking', goal: 'demo_booked', value: 12.5, recorded_at: at(8) },
  });

/** A conversation that goes on. */
export const going = (id: string, status: 'active' | 'handed_off') => ended(id, { status, ended_at: null });
