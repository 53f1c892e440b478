import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { secureContextOf } from '../../src/features/webhooks/endpoints/authentication.ts';
import { createAuthority } from '../webhooks/certificates.ts';
import { certificate } from './certificate.ts';
import { delivery, httpReceiver, httpsReceiver, send, tcpReceiver, testOutbound } from './support.ts';

/** Makes the process trust a certificate until the test is over, by default that of the tests. */
function trustCertificate(trusted = certificate): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, trusted]);
  onTestFinished(() => setDefaultCACertificates(before));
}

const lookup = async () => [{ address: '127.0.0.1', family: 4 }];

describe('a request over TLS', () => {
  test('reaches a receiver with a trusted certificate, by name, by name with a dot, and by address', async () => {
    trustCertificate();
    const names: unknown[] = [];
    const receiver = await httpsReceiver((req, res) => {
      names.push('servername' in req.socket && req.socket.servername);
      res.end('hello');
    });
    const outbound = testOutbound({ lookup });
    for (const host of ['receiver.test', 'receiver.test.', '127.0.0.1']) {
      const result = await outbound.send(delivery(`https://${host}:${receiver.port}/`));
      expect(result).toMatchObject({ ok: true, status: 200, body: 'hello' });
    }
    expect(names).toEqual(['receiver.test', 'receiver.test', false]);
  });

  test('fails as tls when the certificate is for another name', async () => {
    trustCertificate();
    const receiver = await httpsReceiver((_req, res) => res.end());
    const result = await testOutbound({ lookup }).send(delivery(`https://other.test:${receiver.port}/`));
    expect(result).toMatchObject({ ok: false, error: 'tls', status: undefined });
  });

  test('fails as tls when the certificate is self-signed', async () => {
    const receiver = await httpsReceiver((_req, res) => res.end());
    const result = await send(receiver.origin);
    expect(result).toMatchObject({
      ok: false,
      error: 'tls',
      cause: { cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } },
    });
  });

  test('fails as tls when the receiver speaks plain HTTP', async () => {
    const receiver = await httpReceiver((_req, res) => res.end());
    expect(await send(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({ ok: false, error: 'tls' });
  });

  test('fails as connection_reset when the receiver disconnects in the handshake', async () => {
    const receiver = await tcpReceiver((socket) => socket.once('data', () => socket.destroy()));
    expect(await send(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({
      ok: false,
      error: 'connection_reset',
    });
  });

  test('speaks HTTP/1.1, even to a receiver that offers HTTP/2', async () => {
    trustCertificate();
    const versions: string[] = [];
    const receiver = await httpsReceiver(
      (req, res) => {
        versions.push(req.httpVersion);
        res.end();
      },
      { ALPNProtocols: ['h2', 'http/1.1'] },
    );
    expect(await send(receiver.origin)).toMatchObject({ ok: true, status: 200 });
    expect(versions).toEqual(['1.1']);
  });
});

describe('the key exchange with a receiver', () => {
  const authority = createAuthority();
  afterAll(() => authority.remove());
  const server = authority.issue('127.0.0.1', {
    extensions: 'subjectAltName=IP:127.0.0.1',
    newKey: ['-newkey', 'rsa:2048', '-nodes'],
  });
  const client = authority.issue('Engagement');

  describe.each([
    ['without a client certificate', undefined],
    ['with a client certificate', secureContextOf({ ...client, ca: authority.certificate })],
  ])('%s', (_what, secureContext) => {
    async function sendTo(options: TlsOptions) {
      trustCertificate(authority.certificate);
      const receiver = await httpsReceiver((_req, res) => res.end(), {
        cert: server.certificate,
        key: server.privateKey,
        requestCert: secureContext !== undefined,
        rejectUnauthorized: secureContext !== undefined,
        ca: authority.certificate,
        ...options,
      });
      return testOutbound(secureContext && { secureContext }).send(delivery(receiver.origin));
    }

    test('is not DHE, whose group the receiver chooses', async () => {
      const result = await sendTo({
        maxVersion: 'TLSv1.2',
        ciphers: 'DHE-RSA-AES128-GCM-SHA256',
        dhparam: 'auto',
      });
      expect(result).toMatchObject({
        ok: false,
        error: 'tls',
        cause: { code: expect.stringMatching(/HANDSHAKE_FAILURE$/) },
      });
    });

    test.each<[string, TlsOptions]>([
      ['ECDHE of TLS 1.2', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }],
      ['TLS 1.3', { minVersion: 'TLSv1.3' }],
    ])('is %s', async (_exchange, options) => {
      expect(await sendTo(options)).toMatchObject({ ok: true, status: 200 });
    });
  });
});
