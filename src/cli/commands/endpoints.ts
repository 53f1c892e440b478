import type { EndpointBacklog } from '../../features/webhooks/delivery/backlogs.ts';
import { newCommand } from '../command.ts';
import { withBackend } from '../command-backend.ts';
import { count, print, table, timestamp } from '../output/text-output.ts';

/** Says what the due deliveries of an endpoint wait for. */
function waitsFor({ reason, until, inFlight }: EndpointBacklog): string {
  const at = until && timestamp(until);
  switch (reason) {
    case 'slot':
      return `${count(inFlight)} ${inFlight === 1 ? 'attempt' : 'attempts'} in flight to it`;
    case 'rate_limit':
      return `its rate limit, until ${at}`;
    case 'circuit':
      return `its circuit, open; next probe ${at}`;
    case 'paused':
      return 'the end of its pause';
    case 'suspended':
      return 'the end of the suspension of its customer';
    case 'order':
      return 'earlier deliveries of their conversations';
    case null:
      return 'the service, which is late: check that a worker runs';
  }
}

/** `endpoints --backlog`: lists the endpoints whose due deliveries wait, of all customers. */
export const endpoints = () =>
  newCommand('endpoints', 'list webhook endpoints with a backlog, and what their deliveries wait for')
    .requiredOption('--backlog', 'endpoints whose oldest due delivery is 10 s late, up to 100, longest first')
    .action(async ({ json }: { json: boolean }) => {
      const data = await withBackend(({ services }) => services.backlogs.list());
      const rows = data.map((backlog) => [
        backlog.customerId,
        backlog.endpointId,
        backlog.host,
        count(backlog.waiting),
        timestamp(backlog.oldestDueAt),
        waitsFor(backlog),
      ]);
      const headings = ['CUSTOMER', 'ENDPOINT', 'HOST', 'DUE', 'OLDEST', 'WAITS FOR'];
      const text = rows.length > 0 ? table(headings, rows) : 'No endpoint has a backlog.';
      print({ json, result: { data }, text });
    });
