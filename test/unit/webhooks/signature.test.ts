import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import {
  newKeyPair,
  newSecret,
  readPrivateKey,
  signatureHeaders,
} from '../../../src/features/webhooks/signature/sign.ts';
import { verifySignature } from '../../../src/features/webhooks/signature/verify.ts';

const body = JSON.stringify({
  event: 'identity.resolved',
  data: { customerId: 42, orgId: 'org_42', lastName: 'Grüße 日本 👋' },
  ts: 1_790_000_000,
});
const now = () => Math.floor(Date.now() / 1000);

describe('a new signing secret', () => {
  test('is whsec_ and the base64 of 32 random bytes', () => {
    const secret = newSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  test('is different each time', () => {
    expect(new Set(Array.from({ length: 100 }, newSecret)).size).toBe(100);
  });
});

describe('a new key pair', () => {
  test('is whsk_ and whpk_, each with the base64 of 32 bytes, and different each time', () => {
    const pairs = Array.from({ length: 20 }, newKeyPair);
    for (const { privateKey, publicKey } of pairs) {
      expect(privateKey).toMatch(/^whsk_[A-Za-z0-9+/]{43}=$/);
      expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
      const jwk = readPrivateKey(privateKey).export({ format: 'jwk' });
      expect(`whpk_${Buffer.from(String(jwk.x), 'base64url').toString('base64')}`).toBe(publicKey);
    }
    expect(new Set(pairs.map(({ publicKey }) => publicKey)).size).toBe(20);
  });
});

describe('signatureHeaders', () => {
  test('signs with two keys until the time at which their overlap ends, the newer one first', () => {
    const [secret, previous] = [newSecret(), newSecret()];
    const t = now();
    const until = (seconds: number) =>
      signatureHeaders({
        secret,
        previous: { secret: previous, until: new Date((t + seconds) * 1000) },
        eventId: 'evt_1',
        body,
        t,
      });
    const alone = (key: string) => signatureHeaders({ secret: key, eventId: 'evt_1', body, t });
    for (const name of ['webhook-signature', 'X-SVC-Signature'])
      expect(until(0)[name]).toBe(alone(secret)[name]);
    expect(until(1)['webhook-signature']).toBe(
      `${alone(secret)['webhook-signature']} ${alone(previous)['webhook-signature']}`,
    );
    expect(until(1)['X-SVC-Signature']).toBe(
      `${alone(secret)['X-SVC-Signature']},${alone(previous)['X-SVC-Signature']?.split(',')[1]}`,
    );
    for (const key of [secret, previous])
      expect(new Webhook(key).verify(body, until(1))).toEqual(JSON.parse(body));
  });

  test('signs <t>.<body> with the whole secret as text', () => {
    const secret = newSecret();
    const headers = signatureHeaders({ secret, eventId: 'evt_1', body, t: 1_790_000_000 });
    const mac = createHmac('sha256', Buffer.from(secret, 'utf8')).update(`1790000000.${body}`).digest('hex');
    expect(headers['X-SVC-Signature']).toBe(`t=1790000000,v1=${mac}`);
    expect(headers['X-SVC-Timestamp']).toBe('1790000000');
  });

  test('returns these five headers only', () => {
    const headers = signatureHeaders({ secret: newSecret(), eventId: 'evt_1', body, t: now() });
    expect(Object.keys(headers)).toEqual([
      'X-SVC-Signature',
      'X-SVC-Timestamp',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
  });

  test('returns signatures that verifySignature accepts, for many secrets', () => {
    for (let i = 0; i < 50; i += 1) {
      const secret = newSecret();
      const headers = signatureHeaders({ secret, eventId: `evt_${i}`, body, t: now() });
      const header = headers['X-SVC-Signature'];
      expect(verifySignature({ secret, header, rawBody: body })).toEqual({ valid: true });
    }
  });

  test('returns signatures that the Standard Webhooks library accepts, for many secrets', () => {
    for (let i = 0; i < 50; i += 1) {
      const secret = newSecret();
      const headers = signatureHeaders({ secret, eventId: `evt_${i}`, body, t: now() });
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }
  });

  test('returns signatures that the Standard Webhooks library rejects for another secret, body or event', () => {
    const secret = newSecret();
    const headers = signatureHeaders({ secret, eventId: 'evt_1', body, t: now() });
    const library = new Webhook(secret);
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow('No matching signature');
    expect(() => library.verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => library.verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow(
      'No matching signature',
    );
  });
});
