import { historyResponse, notFoundResponse } from '../../features/drift/sidecar.responses.ts';
import { expect, type Requirement, type Subject } from './requirement.ts';
import { parse } from './sidecar-probe.ts';

/** @throws Violation unless status and check of the stage are HTTP 404 */
export async function expectUnknownStage({ probe, stage }: Subject): Promise<void> {
  const requests = [
    { path: '/drift/status', query: { stage } },
    { path: '/drift/check', method: 'POST', body: { stage } },
  ] as const;
  for (const request of requests) {
    const response = await probe.send(request);
    const { status } = response;
    expect(
      status === 404,
      `${response.request} for a stage without samples returned HTTP ${status} instead of 404`,
    );
    parse(notFoundResponse, response);
  }
}

export const unknownStage: Requirement = {
  name: 'unknown stage',
  needs: ['status'],
  async verify(subject) {
    await expectUnknownStage(subject);
    const { probe, stage } = subject;
    const history = await probe.read(historyResponse, { path: '/drift/history', query: { stage } });
    expect(history.length === 0, 'a check of a stage without samples is in the history');
  },
};
