import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { fields, print } from '../output/text-output.ts';

/** What became of the samples for the drift monitoring. */
const SAMPLES = {
  loaded: 'loaded into the sidecar',
  there: 'in the sidecar already',
  own_samples: 'not loaded: the sidecar has samples of its own',
} as const;

/** `demo seed`: a tenant to try things out with. */
export const demoSeed = () =>
  newCommand('seed', 'make the demo tenant with sample data, and its keys').action(
    async ({ json }: { json: boolean }) => {
      const demo = await withBackend(({ seedDemo }) => seedDemo());
      const keys = Object.fromEntries(demo.keys.map(({ scope, key }) => [`Key (${scope})`, key]));
      const samples = demo.driftSamples
        ? SAMPLES[demo.driftSamples]
        : 'not loaded: ML_SIDECAR_URL is not set';
      print(
        json,
        demo,
        fields({ Customer: demo.customerId, Organisation: demo.orgId, ...keys, Samples: samples }),
      );
    },
  );
