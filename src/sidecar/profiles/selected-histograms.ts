import { EMPTY_HISTOGRAM } from '../psi/compare-sets.ts';
import type { Histogram, SetHistograms } from '../psi/psi.ts';
import type { RowSelection } from '../samples/row-selection.ts';
import { PREDICTION, RESIDUAL, type SampleSet, SETS } from '../samples/samples.types.ts';
import { MAX_KEPT_VALUES } from '../sidecar-limits.ts';
import { emptyScope } from './profile-scopes.ts';
import { addBlock, currentEdges, emptyTally, histogramsOf, resetTally } from './profile-tally.ts';
import type { ScopeHistograms } from './profiles.ts';

/**
 * Counts selected rows, some features at a time. The prediction and the residual always have histograms, so that a set
 * without rows is one with too few of them.
 * @throws SamplesChangedError
 */
export async function histogramsOfSelection(selection: RowSelection): Promise<ScopeHistograms> {
  const { features, rows, youngRows } = selection;
  // A single feature can exceed the limit.
  const size = Math.max(1, Math.floor(MAX_KEPT_VALUES / Math.max(1, rows.reference + rows.current)));
  const sets: Record<SampleSet, Map<string, Histogram>> = { reference: new Map(), current: new Map() };
  const edges = new Map<string, readonly number[]>();
  for (let from = 0; from < features.length; from += size) {
    const names = features.slice(from, from + size);
    const scope = emptyScope();
    for (const set of SETS) {
      const tally = emptyTally(set);
      scope.tallies.set(set, tally);
      for await (const block of selection.blocks(set, names)) addBlock(scope, tally, block);
    }
    const counted = currentEdges(scope).edges;
    for (const [name, found] of counted) edges.set(name, found);
    for (const set of SETS) {
      for (const [name, histogram] of histogramsOf(scope, counted, set).features)
        sets[set].set(name, histogram);
    }
    for (const tally of scope.tallies.values()) resetTally(tally, { firstBatch: 1, skippedRows: 0 });
  }
  const histogramsIn = (set: SampleSet): SetHistograms => {
    for (const name of [PREDICTION, RESIDUAL]) {
      const young = name === RESIDUAL ? youngRows[set] : 0;
      const histogram = sets[set].get(name) ?? EMPTY_HISTOGRAM;
      sets[set].set(name, { ...histogram, rows: rows[set] - young });
    }
    return { rows: rows[set], features: sets[set] };
  };
  return { reference: histogramsIn('reference'), current: histogramsIn('current'), edges };
}
