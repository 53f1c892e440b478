import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../../packages/client/src/index.ts';
import {
  newKeyPair,
  newSecret,
  readPrivateKey,
  signatureHeaders,
} from '../../../src/features/webhooks/signature/sign.ts';
import ed25519Vectors from '../webhooks/ed25519-vectors.json' with { type: 'json' };
import vectors from '../webhooks/signature-vectors.json' with { type: 'json' };

const EVENT = {
  event: 'identity.resolved',
  data: { customerId: 42, orgId: 'org_42', conversationId: 'c_1', lastName: 'Grüße 日本 👋' },
  ts: 1_790_000_000,
};
const body = JSON.stringify(EVENT);
const secret = newSecret();
const now = () => Math.floor(Date.now() / 1000);

/** The headers of a delivery, as the service signs it. */
const signed = (text = body, t = now()) => signatureHeaders({ secret, eventId: 'evt_1', body: text, t });

type Headers5 = Record<string, string>;
const only = (headers: Headers5, ...names: string[]): Headers5 =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
const svcOnly = (headers: Headers5): Headers5 => only(headers, 'X-SVC-Signature', 'X-SVC-Timestamp');
const standardOnly = (headers: Headers5): Headers5 =>
  only(headers, 'webhook-id', 'webhook-timestamp', 'webhook-signature');

/** Returns `valid`, or the reason of the rejection. */
const outcome = (input: Parameters<typeof verifyWebhook>[0]): Promise<string> =>
  verifyWebhook(input).then(
    () => 'valid',
    (error: unknown) => {
      if (error instanceof WebhookVerificationError) return error.reason;
      throw error;
    },
  );

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('an authentic delivery', () => {
  test('is returned as its event, with the id that the signature of Standard Webhooks covers', async () => {
    const t = now();
    const event = await verifyWebhook({ payload: body, headers: signed(body, t), secret });
    expect(event).toEqual({ ...EVENT, id: 'evt_1', attemptedAt: new Date(t * 1000) });
  });

  test('has no id if only X-SVC-Signature vouches for it', async () => {
    const headers = { ...svcOnly(signed()), 'webhook-id': 'evt_of_an_attacker' };
    expect(await verifyWebhook({ payload: body, headers, secret })).toMatchObject({ ...EVENT, id: null });
  });

  test.each([
    ['a Headers object', (headers: Headers5) => new Headers(headers)],
    ['names in lower case', (headers: Headers5) => lowerCased(headers, (value) => value)],
    ['values in arrays', (headers: Headers5) => lowerCased(headers, (value) => [value])],
  ])('is accepted with headers as %s', async (_, form) => {
    expect(await outcome({ payload: body, headers: form(signed()), secret })).toBe('valid');
  });

  test.each([
    ['a string', body],
    ['a Buffer', Buffer.from(body)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('is accepted with its payload as %s', async (_, payload) => {
    for (const headers of [svcOnly(signed()), standardOnly(signed())])
      expect(await outcome({ payload, headers, secret })).toBe('valid');
  });

  test('is accepted under either secret while one replaces the other', async () => {
    for (const secrets of [
      [newSecret(), secret],
      [secret, newSecret()],
    ])
      expect(await outcome({ payload: body, headers: signed(), secret: secrets })).toBe('valid');
  });

  test('is accepted if one of several signatures matches, whatever other versions are present', async () => {
    const headers = signed();
    const signature = `v1a,AAAA v1,${Buffer.alloc(32).toString('base64')} ${headers['webhook-signature']}`;
    expect(
      await outcome({ payload: body, headers: { ...headers, 'webhook-signature': signature }, secret }),
    ).toBe('valid');
  });

  test('is what the library of Standard Webhooks signs as well', async () => {
    const at = new Date();
    const headers = {
      'webhook-id': 'evt_2',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_2', at, body),
    };
    expect(await verifyWebhook({ payload: body, headers, secret })).toMatchObject({ id: 'evt_2' });
  });
});

describe('a delivery signed with Ed25519', () => {
  const pair = newKeyPair();
  const signedBy = (privateKey: string, t = now()) =>
    signatureHeaders({ secret, privateKey: readPrivateKey(privateKey), eventId: 'evt_1', body, t });

  test('is accepted under its public key with its id, and under its secret by X-SVC-Signature', async () => {
    const headers = signedBy(pair.privateKey);
    expect(await verifyWebhook({ payload: body, headers, secret: pair.publicKey })).toMatchObject({
      id: 'evt_1',
    });
    expect(await verifyWebhook({ payload: body, headers, secret })).toMatchObject({ id: null });
    expect(await outcome({ payload: body, headers, secret: [newKeyPair().publicKey, pair.publicKey] })).toBe(
      'valid',
    );
  });

  test('is accepted under the new secret while the old one signs by HMAC and the new one by Ed25519', async () => {
    const previous = newSecret();
    const headers = signatureHeaders({
      secret,
      privateKey: readPrivateKey(pair.privateKey),
      previous: { secret: previous, until: new Date(Date.now() + 60_000) },
      eventId: 'evt_1',
      body,
      t: now(),
    });
    expect(headers['webhook-signature']).toMatch(/^v1a,\S+ v1,\S+$/);
    for (const known of [secret, previous, pair.publicKey])
      expect(await outcome({ payload: body, headers, secret: known })).toBe('valid');
    expect(await outcome({ payload: body, headers, secret: newSecret() })).toBe('signature_mismatch');
  });

  test('is rejected under another key, with another body, and if nothing is signed with Ed25519', async () => {
    const headers = signedBy(pair.privateKey);
    const { publicKey } = pair;
    const mismatch = 'signature_mismatch';
    expect(await outcome({ payload: body, headers, secret: newKeyPair().publicKey })).toBe(mismatch);
    expect(await outcome({ payload: `${body} `, headers, secret: publicKey })).toBe(mismatch);
    expect(await outcome({ payload: body, headers: signed(), secret: publicKey })).toBe(mismatch);
    expect(await outcome({ payload: body, headers: svcOnly(headers), secret: publicKey })).toBe(mismatch);
    await expect(verifyWebhook({ payload: body, headers, secret: 'whpk_AAAA' })).rejects.toThrow(TypeError);
  });

  test('is rejected if it is a replay beside the fresh timestamp of another signature', async () => {
    const old = now() - 400;
    const headers = { ...signedBy(pair.privateKey, old), 'webhook-timestamp': String(now()) };
    expect(await outcome({ payload: body, headers, secret })).toBe('outside_tolerance');
    expect(await outcome({ payload: body, headers, secret: pair.publicKey })).toBe('signature_mismatch');
  });

  test('is verified eight times at most', async () => {
    const spy = vi.spyOn(crypto.subtle, 'verify');
    const signature = `v1a,${Buffer.alloc(64).toString('base64')}`;
    const headers = { ...signed(), 'webhook-signature': Array(100).fill(signature).join(' ') };
    expect(await outcome({ payload: body, headers, secret: pair.publicKey })).toBe('signature_mismatch');
    expect(spy).toHaveBeenCalledTimes(8);
  });
});

/** Reasons of the client's verifier, by the reasons of the verifier to copy. */
const REASONS: Record<string, string[]> = {
  valid: ['valid', 'invalid_payload'], // some vectors sign a body that is not an event
  missing_header: ['missing_headers'],
  malformed_header: ['malformed_headers'],
  invalid_timestamp: ['malformed_headers'],
  missing_signature: ['malformed_headers', 'signature_mismatch'],
  malformed_signature: ['malformed_headers', 'signature_mismatch'],
  outside_tolerance: ['outside_tolerance'],
  signature_mismatch: ['signature_mismatch'],
};

test.each(vectors)('agrees with the other verifiers on $name: $expected', async (vector) => {
  vi.useFakeTimers({ toFake: ['Date'], now: vector.now * 1000 });
  const { header, body: payload, secret, toleranceSeconds, expected } = vector;
  const headers = header === null ? {} : { 'X-SVC-Signature': header };
  expect(REASONS[expected]).toContain(await outcome({ payload, headers, secret, toleranceSeconds }));
});

test.each(ed25519Vectors)('agrees with the other verifiers on Ed25519, $name: $expected', async (vector) => {
  vi.useFakeTimers({ toFake: ['Date'], now: vector.now * 1000 });
  const { id, timestamp, signature, body: payload, publicKey, toleranceSeconds, expected } = vector;
  const sent = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  const headers = Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  expect(REASONS[expected]).toContain(
    await outcome({ payload, headers, secret: publicKey, toleranceSeconds }),
  );
});

describe('a delivery is rejected', () => {
  const forms = [
    ['X-SVC-Signature', svcOnly],
    ['webhook-signature', standardOnly],
  ] as const;

  test.each(forms)('if its body was changed (%s)', async (_, form) => {
    const payload = body.replace('42', '43');
    expect(await outcome({ payload, headers: form(signed()), secret })).toBe('signature_mismatch');
  });

  test.each(forms)('if another secret signed it (%s)', async (_, form) => {
    expect(await outcome({ payload: body, headers: form(signed()), secret: newSecret() })).toBe(
      'signature_mismatch',
    );
  });

  test.each(forms)('if it is older or newer than the tolerance (%s)', async (_, form) => {
    const at = (t: number, toleranceSeconds?: number) =>
      outcome({ payload: body, headers: form(signed(body, t)), secret, toleranceSeconds });
    expect(await at(now() - 310)).toBe('outside_tolerance');
    expect(await at(now() + 310)).toBe('outside_tolerance');
    expect(await at(now() - 290)).toBe('valid');
    expect(await at(now() - 20, 10)).toBe('outside_tolerance');
    expect(await at(now() - 310, 400)).toBe('valid');
  });

  test('if another id or time was put beside the signature that covers them', async () => {
    for (const change of [{ 'webhook-id': 'evt_2' }, { 'webhook-timestamp': String(now() - 1) }]) {
      const headers = { ...signed(), ...change };
      expect(await outcome({ payload: body, headers, secret })).toBe('signature_mismatch');
    }
  });

  test('if its headers are missing or malformed', async () => {
    const cases = {
      missing_headers: [
        {},
        { 'webhook-signature': 'v1,AAAA', 'webhook-timestamp': String(now()) },
        { 'webhook-signature': 'v1,AAAA', 'webhook-id': 'evt_1' },
      ],
      malformed_headers: [
        { ...signed(), 'webhook-signature': 'v2,AAAA' },
        { ...signed(), 'webhook-signature': 'v1,%%%' },
        { ...signed(), 'webhook-timestamp': 'now' },
        { 'x-svc-signature': 'nonsense' },
      ],
    };
    for (const [reason, list] of Object.entries(cases))
      for (const headers of list) expect(await outcome({ payload: body, headers, secret })).toBe(reason);
  });

  test('with one HMAC per secret, whatever the number of signatures', async () => {
    const hmacs = ['sign', 'verify'] as const;
    const spies = hmacs.map((name) => vi.spyOn(crypto.subtle, name));
    for (const signature of ['v1,AAAA', `v1,${Buffer.alloc(32).toString('base64')}`]) {
      const headers = { ...signed(), 'webhook-signature': Array(300).fill(signature).join(' ') };
      expect(await outcome({ payload: body, headers, secret: [secret, newSecret()] })).toBe(
        'signature_mismatch',
      );
    }
    expect(spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(4);
  });

  test.each([0, 31, 33, 64])('if its signature has %i bytes', async (length) => {
    const { 'X-SVC-Signature': valid = '' } = signed();
    const [t, hex = ''] = valid.split(',v1=');
    const changed = hex.repeat(2).slice(0, 2 * length);
    expect(
      await outcome({ payload: body, headers: { 'x-svc-signature': `${t},v1=${changed}` }, secret }),
    ).not.toBe('valid');
  });

  test.each(['', 'null', '[]', '"event"', '{"event":"conversation.started"}'])(
    'if what was signed is not an event: %j',
    async (payload) => {
      expect(await outcome({ payload, headers: signed(payload), secret })).toBe('invalid_payload');
    },
  );
});

test('a mistake of the caller is a TypeError that names the argument', async () => {
  const verify = (input: object) =>
    verifyWebhook({ payload: body, headers: signed(), secret, ...input } as never);
  await expect(verify({ payload: EVENT })).rejects.toThrow(
    new TypeError('payload must be the body as received: a string or bytes, not parsed JSON.'),
  );
  for (const wrong of ['', 'whsec_', 'c2VjcmV0', 'whsec_%%%', []])
    await expect(verify({ secret: wrong })).rejects.toThrow(/^secret must be/);
  for (const wrong of [-1, Number.NaN])
    await expect(verify({ toleranceSeconds: wrong })).rejects.toThrow(/^toleranceSeconds must be/);
});

function lowerCased<T>(headers: Headers5, form: (value: string) => T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), form(value)]),
  );
}
