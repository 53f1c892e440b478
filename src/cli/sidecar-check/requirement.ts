import { statusResponse } from '../../features/drift/sidecar.responses.ts';
import { type SidecarProbe, type Status, Violation } from './sidecar-probe.ts';

/** One rule of the sidecar's HTTP contract. */
export interface Requirement {
  name: string;
  /** Names of the requirements that must hold before this one can be checked. */
  needs?: readonly string[];
  /** @throws Violation, Skipped */
  verify(subject: Subject): Promise<void>;
}

/** The sidecar under test. */
export interface Subject {
  probe: SidecarProbe;
  /** Stage with a random name, which only this run uses. */
  stage: string;
  /** Time limit that the service sets for one call. */
  timeoutMs: number;
}

/** A requirement does not apply to this sidecar; the message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Reads the status of the run's stage. Until its first check, the sidecar computes it from the samples. */
export const statusOf = ({ probe, stage }: Subject): Promise<Status> =>
  probe.read(statusResponse, { path: '/drift/status', query: { stage } });

export type Outcome = 'ok' | 'failed' | 'skipped';

export interface RequirementResult {
  requirement: string;
  outcome: Outcome;
  /** Null for outcome `ok`. */
  reason: string | null;
}

/** @throws Violation unless the condition holds */
export function expect(condition: boolean, violation: string): asserts condition {
  if (!condition) throw new Violation(violation);
}

const TOLERANCE = 1e-9;

/** Returns true if two scores are equal, or both null. */
export const isEqualScore = (actual: number | null | undefined, expected: number | null): boolean =>
  actual == null || expected === null ? actual === expected : Math.abs(actual - expected) <= TOLERANCE;

/** @throws Violation unless two scores are equal */
export function expectEqual(name: string, actual: number | null | undefined, expected: number | null): void {
  expect(isEqualScore(actual, expected), `${name} is ${actual}, but must be ${expected}`);
}
