import { withBackend } from './backend.ts';
import { newCommand } from './command.ts';
import { fields, print } from './output.ts';

/** `demo seed`: a tenant to try things out with. */
export const demoSeed = () =>
  newCommand('seed', 'make the demo tenant with sample data, and its keys').action(
    async ({ json }: { json: boolean }) => {
      const demo = await withBackend(({ seedDemo }) => seedDemo());
      const keys = Object.fromEntries(demo.keys.map(({ scope, key }) => [`Key (${scope})`, key]));
      print(json, demo, fields({ Customer: demo.customerId, Organisation: demo.orgId, ...keys }));
    },
  );
