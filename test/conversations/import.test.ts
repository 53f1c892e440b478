import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { converted, ended, going, type Importing, idOf, startImporting } from './import-support.ts';

let on: Importing;
beforeAll(async () => {
  on = await startImporting();
});
afterAll(() => on.stop());

const REPORT = { lines: 0, imported: 0, known: 0, suppressed: 0, rejected: 0, errors: [], reasons: [] };

const stored = (customerId: number) => on.app.models.Conversation.find({ customerId }).lean();

describe('conversations import', () => {
  test('stores conversations of every status with their ids, and they are returned as imported', async () => {
    const tenant = await on.app.newTenant();
    const lines = [
      going(idOf('aa1', 1), 'active'),
      going(idOf('aa1', 2), 'handed_off'),
      ended(idOf('aa1', 3)),
      converted(idOf('aa1', 4), idOf('aa2', 4)),
      ended(idOf('aa1', 5), { status: 'closed', transcript: [] }),
    ];
    const { code, report, stderr } = await on.importing(tenant, lines);
    expect([code, stderr, report]).toEqual([0, '', { ...REPORT, lines: 5, imported: 5 }]);
    for (const line of lines) expect(await on.get(tenant, line.id)).toEqual({ status: 200, body: line });
    const list = await on.app.request('GET', '/v1/conversations?converted=true', { key: tenant.read });
    expect(list.body.data).toMatchObject([{ id: idOf('aa1', 4), status: 'converted' }]);
    const conversions = await on.app.graphql(
      'query($id: ID!) { conversation(id: $id) { messageCount conversions { id value } } }',
      { id: idOf('aa1', 4) },
      tenant.read,
    );
    expect(conversions.body.data?.conversation).toEqual({
      messageCount: 2,
      conversions: [{ id: idOf('aa2', 4), value: 12.5 }],
    });
  });

  test('assigns new ids to rows without an ObjectId', async () => {
    const tenant = await on.app.newTenant();
    const transcript = [{ role: 'visitor', text: 'Hi', sent_at: '2026-03-02T10:00:00+01:00' }];
    const line = {
      id: 'crm/77 ✓',
      visitor_id: 'v',
      status: 'active',
      started_at: '2026-03-02T10:00:00+01:00',
      transcript,
    };
    expect((await on.importing(tenant, [line])).report).toEqual({ ...REPORT, lines: 1, imported: 1 });
    const [conversation] = await stored(tenant.customerId);
    expect(await on.get(tenant, String(conversation?._id))).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        visitor_id: 'v',
        status: 'active',
        converted: false,
        goal: null,
        started_at: '2026-03-02T09:00:00.000Z',
        ended_at: null,
        transcript: [
          {
            ...transcript[0],
            id: expect.stringMatching(/^[0-9a-f]{24}$/),
            sent_at: '2026-03-02T09:00:00.000Z',
          },
        ],
        identity: null,
        conversion: null,
      },
    });
  });

  test('ends a terminal conversation without an end time at its last known time', async () => {
    const tenant = await on.app.newTenant();
    const { ended_at: _, ...line } = ended(idOf('ab1', 1));
    await on.importing(tenant, [line, { ...line, id: 'empty', transcript: [], ended_at: null }]);
    const endings = (await stored(tenant.customerId)).map(({ endedAt }) => endedAt?.toISOString());
    expect(endings.sort()).toEqual(['2026-03-02T09:00:00.000Z', '2026-03-02T09:01:00.000Z']);
  });

  test("stores no duplicates: on a second run, within one file, or of the tenant's own conversations", async () => {
    const tenant = await on.app.newTenant();
    const started = await on.app.services.moves.start(tenant.tenant, { visitorId: 'v' });
    const own = await on.get(tenant, started.id);
    const lines = [ended('x1'), ended(idOf('ac1', 1)), ended('x1', { goal: 'other' }), own.body as object];
    const first = await on.importing(tenant, lines);
    expect([first.code, first.report]).toEqual([0, { ...REPORT, lines: 4, imported: 2, known: 2 }]);
    const before = await stored(tenant.customerId);

    const [x1] = before.filter(({ importId }) => importId === 'x1');
    const exported = await on.get(tenant, String(x1?._id));
    const second = await on.importing(tenant, [...lines, exported.body as object]);
    expect([second.code, second.report]).toEqual([0, { ...REPORT, lines: 5, known: 5 }]);
    expect(await stored(tenant.customerId)).toEqual(before);
    expect(await on.app.models.Message.countDocuments({ customerId: tenant.customerId })).toBe(4);
  });

  test('assigns new ids when another tenant has the same ones, and reveals nothing of that tenant', async () => {
    const [one, other] = [await on.app.newTenant(), await on.app.newTenant()];
    const line = converted(idOf('ad1', 1), idOf('ad2', 1));
    const both = [await on.importing(one, [line]), await on.importing(other, [line])];
    expect(both.map(({ code, report }) => [code, report.imported])).toEqual([
      [0, 1],
      [0, 1],
    ]);

    expect((await on.get(other, line.id)).status).toBe(404);
    const [copy] = await stored(other.customerId);
    const { body } = await on.get(other, String(copy?._id));
    const { id, transcript, conversion, ...same } = body as typeof line;
    expect({ ...line, ...same }).toEqual(line);
    expect(transcript.map(({ text }) => text)).toEqual(line.transcript.map(({ text }) => text));
    const ids = [id, ...transcript.map((message) => message.id), (conversion as { id: string } | null)?.id];
    for (const known of [line.id, ...line.transcript.map((message) => message.id), idOf('ad2', 1)])
      expect(ids).not.toContain(known);
    expect(await on.get(one, line.id)).toEqual({ status: 200, body: line });
    expect((await on.importing(other, [line])).report).toMatchObject({ imported: 0, known: 1 });
  });

  test('assigns new ids where an id inside the conversation is in use', async () => {
    const [one, other] = [await on.app.newTenant(), await on.app.newTenant()];
    const line = ended(idOf('ae1', 1));
    await on.importing(one, [line]);
    const { report } = await on.importing(other, [ended('a'), { ...line, id: idOf('ae1', 2) }, ended('b')]);
    expect(report).toEqual({ ...REPORT, lines: 3, imported: 3 });
    expect(await on.app.models.Message.countDocuments({ customerId: other.customerId })).toBe(6);
  });

  test('waits for another import of the customer, so that each conversation is stored once', async () => {
    const tenant = await on.app.newTenant();
    const lines = Array.from({ length: 500 }, (_, n) => ended(n % 2 ? `side ${n}` : idOf('af1', n)));
    const reports = (await Promise.all([on.importing(tenant, lines), on.importing(tenant, lines)])).map(
      ({ report }) => report,
    );
    expect(reports.reduce((sum, { imported }) => sum + imported, 0)).toBe(500);
    expect(reports.reduce((sum, { known }) => sum + known, 0)).toBe(500);
    expect(await on.app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(500);
    expect(await on.app.models.Message.countDocuments({ customerId: tenant.customerId })).toBe(1_000);
  });

  test('fails while another import of the customer is running', async () => {
    const tenant = await on.app.newTenant();
    await on.app.models.ConversationImportLease.create({
      _id: tenant.customerId,
      token: 'another',
      expiresAt: new Date(Date.now() + 60_000),
    });
    const path = await on.file([ended('one')]);
    const { code, stderr } = await on.run('--customer', String(tenant.customerId), path);
    expect([code, stderr]).toEqual([
      1,
      'Another import for this customer is running. Run this import after it has ended.\n',
    ]);
    expect(await stored(tenant.customerId)).toEqual([]);
  });

  test('stops before its next batch once another import has acquired the lease', async () => {
    const { tenant, customerId } = await on.app.newTenant();
    const lineOf = (n: number) => ({
      number: n + 1,
      bytes: Buffer.from(JSON.stringify(ended(`lease ${n}`))),
      end: n,
    });
    async function* lines() {
      for (let n = 0; n < 700; n += 1) yield lineOf(n);
      await eventually(async () => (await stored(customerId)).length > 0);
      await on.app.models.ConversationImportLease.updateOne({ _id: customerId }, { token: 'another' });
      // Longer than the interval of its heartbeats.
      await sleep(5_000);
      for (let n = 700; n < 1_400; n += 1) yield lineOf(n);
    }
    const importing = on.app.services.imports.importLines(tenant, lines(), { emit: false, progress() {} });
    await expect(importing).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('lost its lease'),
    });
    expect(await stored(customerId)).toHaveLength(500);
    const lease = await on.app.models.ConversationImportLease.findById(customerId).lean();
    expect(lease?.token).toBe('another');
  });

  test('accepts a byte order mark, Windows line endings, blank lines and a missing final newline', async () => {
    const tenant = await on.app.newTenant();
    const text = `\uFEFF${JSON.stringify(ended('one'))}\r\n\r\n \t\n${JSON.stringify(ended('two'))}\r\n{\n${JSON.stringify(ended('three'))}`;
    const { code, report } = await on.importing(tenant, text);
    expect(code).toBe(1);
    expect(report).toMatchObject({ lines: 4, imported: 3, rejected: 1, errors: [{ line: 5 }] });
  });

  test('succeeds for an empty file and reports zero rows', async () => {
    const tenant = await on.app.newTenant();
    const { code, report } = await on.importing(tenant, '');
    expect([code, report]).toEqual([0, REPORT]);
  });

  test('fails for an unknown customer, a missing file and a directory', async () => {
    const path = await on.file('');
    const unknown = await on.run('--customer', '999999', path);
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toMatch(/^[^\n]*customer[^\n]*\n$/i);
    const missing = await on.run('--customer', '1', '/nowhere.jsonl', '--json');
    expect([missing.code, missing.stderr]).toEqual([1, 'Cannot read /nowhere.jsonl: no such file.\n']);
    expect(JSON.parse(missing.stdout).error.code).toBe('BAD_REQUEST');
    expect((await on.run('--customer', '1', '/')).stderr).toBe(
      'Cannot read /: it is a directory, not a file.\n',
    );
    expect((await on.run(path)).code).toBe(2);
  });

  test('prints a short summary with each error once, without a progress bar if there is no terminal', async () => {
    const { customerId } = await on.app.newTenant();
    const path = await on.file(`${JSON.stringify(ended('one'))}\n{"id":\u001b}\noops\n`);
    const { code, stdout, stderr } = await on.run('--customer', String(customerId), path);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toBe(
      'ROWS  FIRST LINES  REASON\n2     2, 3         Is not valid JSON.\n\nImported        1\nAlready stored  0\nRejected        2\n',
    );
  });
});
