import { expect, test } from 'vitest';
import { buildSchemas } from '../../schema/index.ts';
import { createGraphQL } from '../../src/http/graphql/graphql-endpoint.ts';
import { createTenantTurns } from '../../src/limits/tenant-turns.ts';
import { collectGarbage } from '../support/garbage.ts';
import { contextOf } from './endpoint.ts';
import { type RandomDocument, randomDocuments } from './random-documents.ts';

/** A longer search: `FUZZ_MINUTES=15 FUZZ_SEED=7 npx vitest run test/graphql/document-fuzzer.test.ts`. */
const MINUTES = Number(process.env.FUZZ_MINUTES ?? 0.5);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
/** Documents of the run in the suite, fewer on a slow machine. */
const MAX_DOCUMENTS = process.env.FUZZ_MINUTES === undefined ? 1_500 : Number.POSITIVE_INFINITY;

const MAX_BLOCK_MS = 250;
const MAX_GROWTH_BYTES = 64 * 2 ** 20;
/** Repetitions of a document that exceeds a bound: the garbage of others, or the compiler, may be the cause. */
const REPETITIONS = 3;

interface Use {
  /** CPU time of the thread, which load of the machine does not extend: at least the time of the longest block. */
  cpuMs: number;
  growthBytes: number;
  status: number;
}

const { graphql: schema } = buildSchemas();

async function execute({ query, variables }: RandomDocument): Promise<Use> {
  const endpoint = createGraphQL({ schema, turns: createTenantTurns() });
  const context = await contextOf('read');
  const heldBytes = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const bytes = heldBytes();
  const before = process.threadCpuUsage();
  const { status } = await endpoint.handle({ body: { query, variables }, accept: undefined }, context);
  const { user, system } = process.threadCpuUsage(before);
  return { cpuMs: (user + system) / 1_000, growthBytes: heldBytes() - bytes, status };
}

const exceeds = ({ cpuMs, growthBytes }: Use): boolean =>
  cpuMs > MAX_BLOCK_MS || growthBytes > MAX_GROWTH_BYTES;

test(
  'no document blocks the process for more than 250 ms or grows it by more than 64 MiB',
  async () => {
    const next = randomDocuments(schema, SEED);
    const worst = { cpuMs: 0, growthMiB: 0, document: '' };
    const statuses: Record<number, number> = {};
    const endsAt = performance.now() + MINUTES * 60_000;
    let documents = 0;
    for (; documents < MAX_DOCUMENTS && performance.now() < endsAt; documents += 1) {
      const document = next();
      let use = await execute(document);
      for (let attempt = 0; attempt < REPETITIONS && exceeds(use); attempt += 1) {
        collectGarbage();
        use = await execute(document);
      }
      statuses[use.status] = (statuses[use.status] ?? 0) + 1;
      if (use.cpuMs > worst.cpuMs) Object.assign(worst, { cpuMs: use.cpuMs, document: document.query });
      worst.growthMiB = Math.max(worst.growthMiB, use.growthBytes / 2 ** 20);
      expect(exceeds(use), `${JSON.stringify(use)} ${JSON.stringify(document)}`).toBe(false);
    }
    console.info(`${documents} documents of seed ${SEED}, by status ${JSON.stringify(statuses)}`);
    console.info(
      `worst: ${worst.cpuMs.toFixed(0)} ms of CPU, ${worst.growthMiB.toFixed(1)} MiB, ${worst.document.length} characters: ${worst.document.slice(0, 300)}`,
    );
    // The search is of use only if the service executes most documents.
    expect((statuses[200] ?? 0) / documents).toBeGreaterThan(0.3);
  },
  MINUTES * 60_000 + 60_000,
);
