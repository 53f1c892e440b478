import { createHmac, createSecretKey } from 'node:crypto';
import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import type { AuditEntryDoc } from '../../../src/features/audit/audit.model.ts';
import { FIRST_PREVIOUS, hashOf, signatureOf, verifyChain } from '../../../src/features/audit/audit-chain.ts';
import { toEntry } from '../../../src/features/audit/audit-documents.ts';

const KEY = createSecretKey(Buffer.alloc(32, 7));

/** An entry as the service writes it. */
function entryWith(sequence: number, previousHash: string, actor: AuditEntryDoc['actor']): AuditEntryDoc {
  const entry = {
    ...{ _id: new Types.ObjectId(), log: 7, at: new Date(sequence * 1_000), action: 'rotateWebhookSecret' },
    ...{ actor, clientAddress: '192.0.2.7', requestId: 'r1', target: { type: 'webhookEndpoint', id: '1' } },
    ...{ outcome: 'done' as const, count: 1, before: null, after: '{"secret":"rotated"}', previousHash },
  };
  return { ...entry, sequence, hash: hashOf(KEY, entry) };
}

/** An entry of the version that had no prefix, whose hash is computed independently of the service. */
function earlierEntry(): AuditEntryDoc {
  const actor = { type: 'key' as const, id: 'k1', name: 'eg_w_abcdef' };
  const entry = entryWith(1, FIRST_PREVIOUS, actor);
  const content = [
    ...[FIRST_PREVIOUS, entry._id.toHexString(), 7, entry.at.toISOString(), entry.action],
    ...[['key', 'k1', 'eg_w_abcdef'], '192.0.2.7', 'r1', ['webhookEndpoint', '1']],
    ...['done', 1, null, '{"secret":"rotated"}'],
  ];
  return { ...entry, hash: createHmac('sha256', KEY).update(JSON.stringify(content)).digest('hex') };
}

/** The findings of a log with an entry of each version. */
async function findingsOf(first: AuditEntryDoc, second: AuditEntryDoc) {
  const position = { _id: 7, sequence: 2, hash: second.hash };
  const { findings } = await verifyChain({
    key: KEY,
    head: { ...position, key: '', signature: signatureOf(KEY, position) },
    entries: (async function* () {
      yield first;
      yield second;
    })(),
    strays: [],
    find: async () => [],
  });
  return findings.map(({ problem, sequence }) => [problem, sequence]);
}

test('entries of the version without a prefix stay verifiable, before entries with one', async () => {
  const earlier = earlierEntry();
  const actor = { type: 'key' as const, id: 'k1', name: 'CRM', prefix: 'eg_w_abcdef' };
  const later = entryWith(2, earlier.hash, actor);
  expect(await findingsOf(earlier, later)).toEqual([]);
  const named = { ...later, actor: { ...actor, name: 'ERP' } };
  expect(await findingsOf(earlier, named)).toEqual([['altered', 2]]);
  const { prefix: _prefix, ...withoutPrefix } = actor;
  expect(await findingsOf(earlier, { ...later, actor: withoutPrefix })).toEqual([['altered', 2]]);
  const withPrefix = { ...earlier, actor: { ...earlier.actor, prefix: null } };
  expect(await findingsOf(withPrefix, later)).toContainEqual(['altered', 1]);
});

test('the start of the key is the prefix of the actor, also where it is stored as the name', () => {
  expect(toEntry(earlierEntry()).actor).toEqual({ type: 'key', id: 'k1', name: null, prefix: 'eg_w_abcdef' });
  const job = entryWith(1, FIRST_PREVIOUS, { type: 'job', id: 'privacy.retain', name: null });
  expect(toEntry(job).actor).toEqual({ type: 'job', id: 'privacy.retain', name: null, prefix: null });
});
