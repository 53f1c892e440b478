import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, type Importing, idOf, startImporting } from './import-support.ts';
import { recordQueries } from './queries.ts';

let on: Importing;
beforeAll(async () => {
  on = await startImporting();
});
afterAll(() => on.stop());

const FIND = 'query($id: String) { conversations(importId: $id) { edges { node { id importId } } } }';

describe('the ids of an import', () => {
  test('are in its result, for conversations that were stored before as well', async () => {
    const tenant = await on.app.newTenant();
    const kept = idOf('1d5', 1);
    const first = await on.importing(tenant, [ended('crm/77'), ended(kept)]);
    expect(first.ids).toEqual([
      { importId: 'crm/77', id: expect.stringMatching(/^[0-9a-f]{24}$/) },
      { importId: kept, id: kept },
    ]);
    const second = await on.importing(tenant, [ended('crm/78'), ended('crm/77')]);
    expect(second.ids).toEqual([{ importId: 'crm/78', id: expect.any(String) }, first.ids[0]]);
    for (const { id } of second.ids) expect((await on.get(tenant, id)).status).toBe(200);
  });

  test('are looked up without reading the other conversations of the customer', async () => {
    const tenant = await on.app.newTenant();
    await on.importing(
      tenant,
      [...Array(200).keys()].map((n) => ended(`row ${n}`)),
    );
    const queries = await recordQueries(on.app, 'conversations', {
      'command.filter.customerId': tenant.customerId,
    });
    const lines = [ended('row 7'), ended('row 8'), ended('new'), ended(idOf('1d6', 1))];
    const { report } = await on.importing(tenant, lines);
    expect(report).toMatchObject({ imported: 2, known: 2 });
    const made = await queries.stop();
    expect(made.length).toBeGreaterThan(0);
    for (const { docsExamined } of made) expect(docsExamined).toBeLessThanOrEqual(lines.length);
  });

  test('are all in the file of --ids; the result lists the first thousand', async () => {
    const tenant = await on.app.newTenant();
    const lines = Array.from({ length: 1_100 }, (_, n) => ended(`row ${n}`));
    const path = join(await on.file(''), '..', 'ids.jsonl');
    const { ids } = await on.importing(tenant, lines, '--ids', path);
    expect(ids).toHaveLength(1_000);
    const written = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(written.slice(0, 1_000)).toEqual(ids);
    expect(written.map(({ importId }) => importId).sort()).toEqual(lines.map(({ id }) => id).sort());
    const stored = await on.app.models.Conversation.find({ customerId: tenant.customerId }).lean();
    const idOfImport = new Map(stored.map(({ _id, importId }) => [importId, _id.toHexString()]));
    for (const { importId, id } of written) expect(id).toBe(idOfImport.get(importId));
  });

  test('cannot be written to a directory; nothing is imported then', async () => {
    const tenant = await on.app.newTenant();
    const path = await on.file([ended('one')]);
    const { code, stderr } = await on.run('--customer', String(tenant.customerId), path, '--ids', '/');
    expect([code, stderr]).toEqual([1, 'Cannot write /: EISDIR.\n']);
    expect(await on.app.models.Conversation.countDocuments({ customerId: tenant.customerId })).toBe(0);
  });

  test('cannot be written to the imported file, which keeps its lines', async () => {
    const tenant = await on.app.newTenant();
    const path = await on.file([ended('one')]);
    const content = await readFile(path, 'utf8');
    const alias = `${path}.link`;
    await symlink(path, alias);
    for (const ids of [path, alias]) {
      const { code, stderr } = await on.run('--customer', String(tenant.customerId), path, '--ids', ids);
      expect([code, stderr]).toEqual([1, `${ids} is the imported file; write the ids to another file.\n`]);
    }
    expect(await readFile(path, 'utf8')).toBe(content);
  });
});

describe('an imported conversation is found by its imported id', () => {
  test('in GraphQL, REST and on the command line, by its own customer only', async () => {
    const [tenant, other] = [await on.app.newTenant(), await on.app.newTenant()];
    const { ids } = await on.importing(tenant, [ended('crm/1'), ended('crm/2')]);
    await on.importing(other, [ended('crm/1'), ended('crm/9')]);
    const expected = ids.find(({ importId }) => importId === 'crm/1');

    const queries = await recordQueries(on.app, 'conversations');
    const graphql = await on.app.graphql(FIND, { id: 'crm/1' }, tenant.read);
    expect(graphql.body.data?.conversations).toEqual({ edges: [{ node: expected }] });
    const rest = await on.app.request('GET', '/v1/conversations?import_id=crm%2F1', { key: tenant.read });
    expect(rest.body).toMatchObject({ data: [{ id: expected?.id }], has_more: false });
    for (const { indexes, docsExamined } of await queries.stop())
      expect([indexes, docsExamined]).toEqual([['customerId_1_importId_1'], 1]);

    const found = await on.find(tenant, 'crm/1');
    expect(JSON.parse(found.stdout)).toMatchObject({ ...expected, status: 'ended' });

    const unknown = await on.app.request('GET', '/v1/conversations?import_id=crm%2F9', { key: tenant.read });
    expect(unknown.body).toEqual({ data: [], has_more: false });
    const { code, stdout } = await on.find(tenant, 'crm/9');
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, 'NOT_FOUND']);
  });
});

test('bad lines are grouped by reason, whatever message of the transcript has the problem, and totals come last', async () => {
  const { customerId } = await on.app.newTenant();
  const bad = (position: number) => {
    const message = { role: 'bot', text: 'Hi', sent_at: '2026-03-02T09:00:00Z' };
    return ended('x', {
      transcript: Array.from({ length: 3 }, (_, n) =>
        n === position ? { ...message, role: 'robot' } : message,
      ),
    });
  };
  const path = await on.file([bad(0), bad(2), {}, ended('good')]);
  const { stdout } = await on.run('--customer', String(customerId), path);
  expect(stdout).toMatch(/^2 +1, 2 +transcript\.\*\.role: Must be one of visitor, bot, operator\.$/m);
  expect(stdout).toMatch(/\nImported +1\nAlready stored +0\nRejected +3\n$/);
});
