import { healthResponse } from '../../features/drift/sidecar.responses.ts';
import { expect, type Requirement, Skipped } from './requirement.ts';

/** Requests that need a token. They change nothing, even on a sidecar that accepts them without one. */
const protectedRequests = (stage: string) =>
  [
    { path: '/drift/status' },
    { path: '/drift/history' },
    { path: '/drift/check', method: 'POST', body: { stage } },
    { path: '/samples', method: 'POST', body: {} },
  ] as const;

export const health: Requirement = {
  name: 'health',
  async verify({ probe }) {
    await probe.read(healthResponse, { path: '/health', token: null });
  },
};

export const token: Requirement = {
  name: 'token',
  async verify({ probe, stage }) {
    const { token } = probe.address;
    if (token === null) throw new Skipped('no token is given');
    for (const wrong of [null, `${token}x`]) {
      for (const request of protectedRequests(stage)) {
        const { request: name, status } = await probe.send({ ...request, token: wrong });
        const given = wrong === null ? 'without a token' : 'with a wrong token';
        expect(status === 401, `${name} ${given} returned HTTP ${status} instead of 401`);
      }
    }
    const { request, status } = await probe.send({ path: '/drift/status' });
    expect(status !== 401 && status !== 403, `${request} with the token returned HTTP ${status}`);
  },
};

export const responseTime: Requirement = {
  name: 'response time',
  async verify({ probe, timeoutMs }) {
    const { request, durationMs } = probe.slowest;
    expect(
      durationMs < timeoutMs,
      `${request} returned after ${Math.round(durationMs)} ms; the service waits ${timeoutMs} ms (ML_SIDECAR_TIMEOUT)`,
    );
  },
};
