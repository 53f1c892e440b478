import { execFileSync } from 'node:child_process';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createCipher } from '../../src/platform/cipher.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { type Certificate, createAuthority } from './certificates.ts';
import {
  createEndpoint,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
  type TestEndpoint,
} from './support.ts';

const ENCRYPTION_KEY = `${'c0'.repeat(31)}ff`;
const authority = createAuthority();
const stranger = createAuthority('Another authority');
const serverCertificate = authority.issue('127.0.0.1', { extensions: 'subjectAltName=IP:127.0.0.1' });
const client = authority.issue('Engagement');
const foreign = stranger.issue('Stranger');

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY });
});
afterAll(async () => {
  await app.stop();
  authority.remove();
  stranger.remove();
});

/** A TLS receiver that demands a certificate of the authority. */
async function startTlsReceiver() {
  const subjects: string[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer(
    {
      cert: serverCertificate.certificate,
      key: serverCertificate.privateKey,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      subjects.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
      request.resume().on('end', () => response.end());
    },
  );
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    subjects,
    connections: () => sockets.size,
  };
}

const mtlsOf = (pair: Certificate) => ({ mtls: { ...pair, ca: authority.certificate } });

async function listeningWith(pair: Certificate) {
  const receiver = await startTlsReceiver();
  const tenant = await app.newTenant();
  const endpoint = await createEndpoint(app, tenant, { url: receiver.url, authentication: mtlsOf(pair) });
  return { receiver, tenant, endpoint };
}

const patch = (tenant: TestTenant, { path }: TestEndpoint, body: object) =>
  app.request('PATCH', path, { key: tenant.write, body });

describe('deliveries with a client certificate', () => {
  test('reach a receiver that demands one', async () => {
    const { receiver, tenant, endpoint } = await listeningWith(client);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', attempt: 1 });
    expect(receiver.subjects).toEqual(['Engagement']);
  });

  test('fail with a certificate of another authority', async () => {
    const { receiver, tenant, endpoint } = await listeningWith(foreign);
    await postConversion(app, tenant);
    const delivery = await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2 });
    // With TLS 1.3 the receiver refuses the certificate after the handshake: its alert or its reset comes first.
    expect(['tls', 'connection_reset']).toContain(delivery.error);
    expect(receiver.subjects).toEqual([]);
  });

  test('fail as TLS errors once the authentication is removed, as its authority is', async () => {
    const { receiver, tenant, endpoint } = await listeningWith(client);
    expect((await patch(tenant, endpoint, { authentication: null })).body.authentication).toBeNull();
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2, error: 'tls' });
    expect(receiver.subjects).toEqual([]);
  });

  test('fail as TLS errors if the receiver is not of the given authority', async () => {
    const receiver = await startTlsReceiver();
    const tenant = await app.newTenant();
    const authentication = { mtls: { ...client, ca: stranger.certificate } };
    const endpoint = await createEndpoint(app, tenant, { url: receiver.url, authentication });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2, error: 'tls' });
  });

  test('use the new certificate after a change, over new connections, and close the old ones', async () => {
    const { receiver, tenant, endpoint } = await listeningWith(client);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await patch(tenant, endpoint, { authentication: mtlsOf(authority.issue('Renewed')) });
    await postConversion(app, tenant);
    await eventually(() => receiver.subjects.length === 2);
    expect(receiver.subjects).toEqual(['Engagement', 'Renewed']);
    await eventually(() => receiver.connections() === 1);
    await eventually(() => receiver.connections() === 0);
  });

  test('of two endpoints never share a connection', async () => {
    const { receiver, tenant } = await listeningWith(client);
    const other = authority.issue('Other endpoint');
    await createEndpoint(app, tenant, { url: receiver.url, authentication: mtlsOf(other) });
    for (let i = 1; i <= 3; i += 1) {
      await postConversion(app, tenant);
      await eventually(() => receiver.subjects.length === 2 * i);
    }
    expect(receiver.subjects.filter((name) => name === 'Engagement')).toHaveLength(3);
    expect(receiver.subjects.filter((name) => name === 'Other endpoint')).toHaveLength(3);
  });

  test('fail with a code of their own if the stored certificate is unreadable', async () => {
    const { receiver, tenant, endpoint } = await listeningWith(client);
    const { customerId } = tenant;
    const secret = createCipher([ENCRYPTION_KEY]).encrypt(
      JSON.stringify({ certificate: 'broken', privateKey: 'broken', ca: null }),
      `endpoint:${customerId}:${endpoint.id}:authentication`,
    );
    await app.models.Endpoint.updateOne({ id: endpoint.id }, { $set: { 'authentication.secret': secret } });
    // A change through the API makes the process read the endpoint again.
    await patch(tenant, endpoint, { description: 'broken' });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2, error: 'mtls_unreadable' });
    expect(receiver.subjects).toEqual([]);
    expect((await app.request('GET', '/api/health')).status).toBe(200);
  });
});

describe('a client certificate', () => {
  test('is shown by its subject and its expiry alone, in REST and GraphQL', async () => {
    const { tenant, endpoint } = await listeningWith(client);
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    const shown = body.authentication as unknown as { oauth2: null; mtls: { certificateExpiresAt: string } };
    expect(shown).toEqual({
      oauth2: null,
      mtls: { certificateExpiresAt: expect.any(String), certificateSubject: 'O=Example, CN=Engagement' },
    });
    const inDays = (Date.parse(shown.mtls.certificateExpiresAt) - Date.now()) / 86_400_000;
    expect(inDays).toBeGreaterThan(364);
    expect(inDays).toBeLessThan(366);
    expect(JSON.stringify(body)).not.toContain('-----BEGIN');
    const READ = `query ($id: Int!) { webhookEndpoint(id: $id) {
      authentication { oauth2 { clientId } mtls { certificateExpiresAt certificateSubject } }
    } }`;
    const read = await app.graphql(READ, { id: endpoint.id }, tenant.read);
    expect(read.body.data?.webhookEndpoint?.authentication).toEqual(shown);
    const stored = JSON.stringify(await app.models.Endpoint.findOne({ id: endpoint.id }).lean());
    expect(stored).not.toContain('-----BEGIN');
  });

  const expired = () => {
    const pair = authority.issue('Expired', { days: 1 });
    return { pair, days: 2 };
  };
  const encrypted = () => ({
    ...client,
    privateKey: execFileSync('openssl', ['pkcs8', '-topk8', '-passout', 'pass:x'], {
      input: client.privateKey,
      encoding: 'utf8',
    }),
  });
  test.each<[string, () => object, string]>([
    ['that is none', () => ({ ...client, certificate: 'no PEM' }), 'certificate'],
    [
      'that is damaged',
      () => ({ ...client, certificate: client.certificate.replace(/\n[A-Za-z0-9]/, '\n*') }),
      'certificate',
    ],
    ['with a key that is none', () => ({ ...client, privateKey: 'no PEM' }), 'privateKey'],
    ['with a key that has a passphrase', encrypted, 'privateKey'],
    ['with the key of another one', () => ({ ...client, privateKey: foreign.privateKey }), 'privateKey'],
    [
      'with a key that takes long to sign',
      () => authority.issue('Long', { newKey: ['-newkey', 'rsa:4608', '-nodes'] }),
      'privateKey',
    ],
    ['with an authority that is none', () => ({ ...client, ca: 'no PEM' }), 'ca'],
    ['without a key', () => ({ certificate: client.certificate }), 'privateKey'],
    ['that is too long', () => ({ ...client, certificate: client.certificate.repeat(100) }), 'certificate'],
  ])('%s is a 422, and nothing changes', async (_, mtls, field) => {
    const { tenant, endpoint } = await listeningWith(client);
    const { status, body } = await patch(tenant, endpoint, { authentication: { mtls: mtls() } });
    expect([status, body.error?.details?.[0]?.path]).toEqual([422, `authentication.mtls.${field}`]);
    const current = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(current.body.authentication).toMatchObject({
      mtls: { certificateSubject: 'O=Example, CN=Engagement' },
    });
  });

  test('that is expired is a 422', async () => {
    const { pair, days } = expired();
    const late = await startApp();
    onTestFinished(() => late.stop());
    late.clock.advance(days * 86_400_000);
    const tenant = await late.newTenant();
    const { status, body } = await late.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'https://r.example.com', authentication: { mtls: pair } },
    });
    expect([status, body.error?.details?.[0]?.path]).toEqual([422, 'authentication.mtls.certificate']);
    expect(String(body.error?.details?.[0]?.message)).toContain('was valid until');
  });
});

test('a certificate that expires soon is logged beside a hundred that have expired', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const logging = await startApp({}, { log });
  onTestFinished(() => logging.stop());
  const authentication = mtlsOf(authority.issue('Soon', { days: 5 }));
  const { endpoint } = await listening(logging, 200, { authentication });
  const stored = await logging.models.Endpoint.findOne({ id: endpoint.id }, { _id: 0 }).lean();
  const { secret = '' } = stored?.authentication ?? {};
  const mtls = { certificateExpiresAt: new Date(0), certificateSubject: 'Expired' };
  await logging.models.Endpoint.insertMany(
    Array.from({ length: 100 }, (_, index) => ({
      ...stored,
      id: 1_000_000 + index,
      customerId: 1_000_000 + index,
      authentication: { oauth2: null, mtls, secret },
    })),
  );
  await runJob(logging, 'webhooks.certificates');
  expect(lines.some((line) => line.includes(`"endpointId":${endpoint.id},`))).toBe(true);
});
