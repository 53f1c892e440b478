import { randomUUID } from 'node:crypto';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import { SETS } from '../../sidecar/samples/samples.types.ts';
import { health, responseTime, token } from './access-requirements.ts';
import {
  checkEqualsStatus,
  checked,
  components,
  featureHistory,
  historyOrder,
  overallHistory,
  psi,
  stageStatus,
  status,
  unknownStage,
} from './drift-requirements.ts';
import {
  featureDetails,
  featureSettings,
  noiseFloor,
  optionalFields,
  stages,
} from './optional-requirements.ts';
import { type Requirement, type RequirementResult, Skipped, type Subject } from './requirement.ts';
import {
  allOrNone,
  insufficientData,
  invalidInput,
  moreSamples,
  removal,
  removeSamples,
  samples,
} from './sample-requirements.ts';
import { createSidecarProbe, Unreachable, Violation } from './sidecar-probe.ts';

/** All requirements, in order. Until `check`, the status of the stage is computed from the samples. */
const REQUIREMENTS: readonly Requirement[] = [
  health,
  token,
  status,
  unknownStage,
  samples,
  insufficientData,
  moreSamples,
  allOrNone,
  invalidInput,
  stageStatus,
  psi,
  components,
  optionalFields,
  noiseFloor,
  checked,
  checkEqualsStatus,
  historyOrder,
  overallHistory,
  featureHistory,
  featureDetails,
  featureSettings,
  stages,
  removal,
  responseTime,
];

interface ConformanceOptions {
  sidecar: SidecarAddress;
  /** Time limit that the service sets for one call. */
  timeoutMs: number;
  /** Ends the run after the current requirement. */
  signal?: AbortSignal;
}

/** Checks a sidecar against the HTTP contract, and removes its test samples afterwards. */
export async function checkConformance(options: ConformanceOptions): Promise<RequirementResult[]> {
  const { sidecar, timeoutMs, signal } = options;
  const subject: Subject = {
    probe: createSidecarProbe(sidecar),
    stage: `conformance-${randomUUID()}`,
    timeoutMs,
  };
  const results: RequirementResult[] = [];
  /** Requirements that failed, or that depend on a failed requirement. */
  const blocked = new Set<string>();
  let unreachable = false;

  async function verify({ name, needs = [], verify }: Requirement): Promise<RequirementResult> {
    const missing = needs.find((needed) => blocked.has(needed));
    if (signal?.aborted || unreachable || missing !== undefined) {
      blocked.add(name);
      const needed = unreachable ? 'a sidecar that responds' : `the requirement "${missing}"`;
      const reason = signal?.aborted ? 'interrupted' : `needs ${needed}`;
      return { requirement: name, outcome: 'skipped', reason };
    }
    try {
      await verify(subject);
      return { requirement: name, outcome: 'ok', reason: null };
    } catch (error) {
      if (error instanceof Skipped) return { requirement: name, outcome: 'skipped', reason: error.message };
      if (!(error instanceof Violation)) throw error;
      unreachable ||= error instanceof Unreachable && name === 'health';
      blocked.add(name);
      return { requirement: name, outcome: 'failed', reason: error.message };
    }
  }

  try {
    for (const requirement of REQUIREMENTS) results.push(await verify(requirement));
    return results;
  } finally {
    const outcomeOf = ({ name }: Requirement) =>
      results.find(({ requirement }) => requirement === name)?.outcome;
    // `samples` is the first requirement that writes: if it was skipped, there is nothing to remove.
    if (outcomeOf(samples) !== 'skipped' && outcomeOf(removal) !== 'ok')
      await Promise.all(SETS.map((set) => removeSamples(subject, set).catch(() => {})));
  }
}
