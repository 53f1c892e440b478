import type { Body, SidecarCall, SidecarFault } from '../support/faulty-sidecar.ts';

/** A fault, and the only requirement that it violates. */
export interface FaultCase {
  requirement: string;
  problem: string;
  /** Text in the reason. */
  reason: string;
  fault(): SidecarFault;
}

const isInStage = ({ query, body }: SidecarCall): boolean =>
  query.has('stage') || body.includes('"stage":"conformance-');

export type Selector = (call: SidecarCall) => boolean;

export const to =
  (path: string, method = 'GET'): Selector =>
  (call) =>
    call.path === path && call.method === method;
export const inStage =
  (selector: Selector): Selector =>
  (call) =>
    selector(call) && isInStage(call);
export const ofAll =
  (selector: Selector): Selector =>
  (call) =>
    selector(call) && !isInStage(call);

/** Replaces the status and the body of the selected responses. */
export const answers = (selector: Selector, status: number, body: Body): SidecarFault => ({
  respond: (call, response) => (selector(call) ? { status, body } : response),
});

/** Changes the body of the selected successful responses. */
export const changes = (selector: Selector, change: (body: Body) => Body): SidecarFault => ({
  respond: (call, response) =>
    selector(call) && response.status === 200 ? { status: 200, body: change(response.body) } : response,
});

export const last = (body: Body, change: (feature: Body) => object): Body => ({
  ...body,
  featureDrifts: body.featureDrifts.map((feature: Body, index: number, all: Body[]) =>
    index === all.length - 1 ? { ...feature, ...change(feature) } : feature,
  ),
});

export const STATUS = to('/drift/status');
export const CHECK = to('/drift/check', 'POST');
