import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { signatureHeaders } from '../../../src/features/webhooks/signature/sign.ts';
import { type VerifyInput, verifySignature } from '../../../src/features/webhooks/signature/verify.ts';
import vectors from './signature-vectors.json' with { type: 'json' };

const outcome = (input: VerifyInput): string => {
  const result = verifySignature(input);
  return result.valid ? 'valid' : result.reason;
};

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

  test('parses a long header of blanks in linear time', () => {
    const header = `t=1,v1=${' '.repeat(200_000)}x`;
    const start = performance.now();
    expect(outcome({ secret: 'whsec_c2VjcmV0', header, rawBody: '' })).toBe('malformed_signature');
    expect(performance.now() - start).toBeLessThan(200);
  });
});

describe('verify_signature (Python)', () => {
  test('matches the TypeScript implementation on every vector', () => {
    const script = new URL('./verify_vectors.py', import.meta.url).pathname;
    const answers: unknown = JSON.parse(execFileSync('python3', ['-B', script], { encoding: 'utf8' }));
    expect(answers).toEqual(vectors.map((vector) => vector.expected));
  });

  test('raises for an empty secret, which would let anyone sign', () => {
    const docs = new URL('../../../docs', import.meta.url).pathname;
    const code =
      'import verify\ntry:\n  verify.verify_signature("", "t=1,v1=00", b"")\nexcept ValueError as e:\n  print(e)';
    const said = execFileSync('python3', ['-B', '-c', code], { cwd: docs, encoding: 'utf8' });
    expect(said.trim()).toBe('The signing secret is not set.');
  });
});
