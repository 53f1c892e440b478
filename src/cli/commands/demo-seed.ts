import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { performed } from '../operator-act.ts';
import { fields, print } from '../output/text-output.ts';

/** Texts for the outcomes of loading the drift samples. */
const SAMPLES = {
  loaded: 'loaded into the sidecar',
  already_loaded: 'already in the sidecar',
  other_samples: 'not loaded: the sidecar contains other samples',
} as const;

/** `demo seed`: creates the demo customer. */
export const demoSeed = () =>
  newCommand('seed', 'create the demo customer with sample data and API keys').action(
    async ({ json }: { json: boolean }) => {
      const demo = await withBackend(({ services, seedDemo }) =>
        performed(
          services,
          {
            customerId: null,
            action: 'seedDemo',
            target: { type: 'tenant', id: null },
            createdId: ({ customerId }) => customerId,
            describe: ({ customerId, driftSamples }) => ({ customerId, driftSamples }),
          },
          seedDemo,
        ),
      );
      const keys = Object.fromEntries(demo.keys.map(({ scope, key }) => [`Key (${scope})`, key]));
      const samples = demo.driftSamples
        ? SAMPLES[demo.driftSamples]
        : 'not loaded: no sidecar is configured or running';
      const text = fields({
        Customer: demo.customerId,
        Organization: demo.orgId,
        ...keys,
        'Drift samples': samples,
      });
      print({ json, result: demo, text });
    },
  );
