import { allNodes } from '../all-nodes.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { print, table, timestamp } from '../output/text-output.ts';

/** `tenant list`: lists every customer of the service. */
export const tenantList = () =>
  newCommand('list', 'list all customers').action(async ({ json }: { json: boolean }) => {
    const tenants = await withBackend(({ services }) => allNodes(services.tenants.list));
    const rows = tenants.map(({ customerId, orgId, name, verifyEndpoints, createdAt }) => [
      customerId,
      orgId,
      name,
      verifyEndpoints ? 'yes' : 'no',
      timestamp(createdAt),
    ]);
    const headings = ['CUSTOMER', 'ORGANIZATION', 'NAME', 'VERIFIES URLS', 'CREATED'];
    const text = rows.length > 0 ? table(headings, rows) : 'There are no customers.';
    print({ json, result: { data: tenants }, text });
  });
