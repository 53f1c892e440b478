import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  newKeyPair,
  newSecret,
  readPrivateKey,
  signatureHeaders,
} from '../../../src/features/webhooks/signature/sign.ts';
import {
  type VerifyEd25519Input,
  type VerifyInput,
  type VerifyResult,
  verifyEd25519Signature,
  verifySignature,
} from '../../../src/features/webhooks/signature/verify.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';
import { HAS_PYTHON_CRYPTOGRAPHY } from '../../support/python.ts';
import ed25519Vectors from './ed25519-vectors.json' with { type: 'json' };
import vectors from './signature-vectors.json' with { type: 'json' };

const nameOf = (result: VerifyResult): string => (result.valid ? 'valid' : result.reason);
const outcome = (input: VerifyInput): string => nameOf(verifySignature(input));
const ed25519Outcome = (input: VerifyEd25519Input): string => nameOf(verifyEd25519Signature(input));

describe('verifySignature (TypeScript)', () => {
  test.each(vectors)('$name: $expected', ({ secret, header, body, now, toleranceSeconds, expected }) => {
    expect(outcome({ secret, header, rawBody: body, now, toleranceSeconds })).toBe(expected);
    expect(outcome({ secret, header, rawBody: Buffer.from(body), now, toleranceSeconds })).toBe(expected);
  });

  test('uses its own clock by default', () => {
    const at = (t: number) => {
      const headers = signatureHeaders({ secret: 'whsec_c2VjcmV0', eventId: 'evt_1', body: '{}', t });
      return outcome({ secret: 'whsec_c2VjcmV0', header: headers['X-SVC-Signature'], rawBody: '{}' });
    };
    const now = Math.floor(Date.now() / 1000);
    expect(at(now)).toBe('valid');
    expect(at(now - 400)).toBe('outside_tolerance');
  });

  test('throws for an empty secret, which would let anyone sign', () => {
    expect(() => verifySignature({ secret: '', header: 't=1,v1=00', rawBody: '' })).toThrow(TypeError);
  });

  test('parses a long header of blanks in linear time', async () => {
    const header = `t=1,v1=${' '.repeat(200_000)}x`;
    const cpuMs = await cpuMsOf(() =>
      expect(outcome({ secret: 'whsec_c2VjcmV0', header, rawBody: '' })).toBe('malformed_signature'),
    );
    expect(cpuMs).toBeLessThan(200);
  });
});

describe('verifyEd25519Signature (TypeScript)', () => {
  test.each(ed25519Vectors)('$name: $expected', ({ name: _, body, expected, ...input }) => {
    expect(ed25519Outcome({ ...input, rawBody: body })).toBe(expected);
    expect(ed25519Outcome({ ...input, rawBody: Buffer.from(body) })).toBe(expected);
  });

  test('uses its own clock by default', () => {
    const { privateKey, publicKey } = newKeyPair();
    const at = (t: number) => {
      const signed = {
        secret: newSecret(),
        privateKey: readPrivateKey(privateKey),
        eventId: 'evt_1',
        body: '{}',
      };
      const {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      } = signatureHeaders({ ...signed, t });
      return ed25519Outcome({ publicKey, id, timestamp, signature, rawBody: '{}' });
    };
    const now = Math.floor(Date.now() / 1000);
    expect(at(now)).toBe('valid');
    expect(at(now - 400)).toBe('outside_tolerance');
  });

  test.each(['', 'whpk_', 'whpk_AAAA', 'whsec_c2VjcmV0', `${newKeyPair().publicKey} `])(
    'throws for the public key %j',
    (publicKey) => {
      const input = { id: 'evt_1', timestamp: '1', signature: 'v1a,AAAA', rawBody: '' };
      expect(() => verifyEd25519Signature({ ...input, publicKey })).toThrow(TypeError);
    },
  );
});

/** Runs Python beside `docs/verify.py`. */
const python = (...args: string[]): string =>
  execFileSync('python3', ['-B', ...args], {
    cwd: new URL('../../../docs', import.meta.url).pathname,
    encoding: 'utf8',
  }).trim();

const answersTo = (name: string): unknown =>
  JSON.parse(python(new URL('./verify_vectors.py', import.meta.url).pathname, name));

describe('verify_signature (Python)', () => {
  test('matches the TypeScript implementation on every vector', () => {
    expect(answersTo('signature')).toEqual(vectors.map((vector) => vector.expected));
  });

  test('raises for an empty secret, which would let anyone sign', () => {
    const code =
      'import verify\ntry:\n  verify.verify_signature("", "t=1,v1=00", b"")\nexcept ValueError as e:\n  print(e)';
    expect(python('-c', code)).toBe('The signing secret is not set.');
  });
});

describe('verify_ed25519_signature (Python)', () => {
  const raised = (error: string, before = ''): string =>
    python(
      '-c',
      `import sys\n${before}\nimport verify\ntry:\n  verify.verify_ed25519_signature("whpk_AAAA", "evt_1", "1", "v1a,AAAA", b"")\nexcept ${error} as e:\n  print(e)`,
    );

  test.skipIf(!HAS_PYTHON_CRYPTOGRAPHY)('matches the TypeScript implementation on every vector', () => {
    expect(answersTo('ed25519')).toEqual(ed25519Vectors.map((vector) => vector.expected));
  });

  test.skipIf(!HAS_PYTHON_CRYPTOGRAPHY)('raises for what is not a public key', () => {
    expect(raised('ValueError')).toBe('The public key must be whpk_ and the base64 of 32 bytes.');
  });

  test('names the package that it needs, without which verify_signature works', () => {
    expect(raised('RuntimeError', 'sys.modules["cryptography"] = None')).toBe(
      'Ed25519 needs the package cryptography: pip install cryptography',
    );
  });
});
