import { append, apply, startConversation } from '../conversations/support.ts';
import { act } from '../event-feeds/support.ts';
import { connectedTenant, syncOf } from '../meetings/support.ts';
import { newSigningSecret } from '../meetings/webhook-support.ts';
import { startTestSidecar } from '../sidecar/support.ts';
import type { TestTenant } from '../support/app.ts';
import type { ConsolePage } from '../support/browser.ts';
import { meetingJson } from '../support/provider.ts';
import { startReceiver } from '../support/receiver.ts';
import { createEndpoint, deliveryLike, postConversion, setEnabled } from '../webhooks/support.ts';
import { leads } from './drift-page-support.ts';
import { type Stage, startStage } from './meetings-support.ts';
import { long } from './phone-support.ts';

export const STAGE = long('trial');
export const FEATURE = long('feature');
const FEED = long('feed', 100);
const CHANGE = long('Campaign', 100);
const EMAIL = `${long('ada', 200)}@example.com`;

const meetings = [
  {
    ...meetingJson(0, { segments: 2 }),
    title: long('Quarterly review'),
    participants: [
      { name: long('Ada'), email: EMAIL, role: 'host' },
      { name: long('Grace'), email: null },
    ],
  },
  meetingJson(1, { segments: 2 }),
];

/** Creates one of everything. Returns the IDs for the paths of the pages. */
async function seed({ app }: Stage, tenant: TestTenant): Promise<Record<string, string>> {
  const failing = await startReceiver({ status: 500, body: long('error', 2_000) });
  const endpoint = await createEndpoint(app, tenant, {
    url: `${failing.url}/${long('path', 400)}`,
    description: long('Endpoint of the sales department'),
  });
  const disabled = await createEndpoint(app, tenant, { url: `${failing.url}/${long('other', 400)}` });
  await setEnabled(app, tenant, disabled, false);
  await postConversion(app, tenant, { goal: long('demo') });
  const delivery = await deliveryLike(app, tenant, endpoint, { status: 'retrying' });
  await failing.stop();

  const { id } = await startConversation(app, tenant, { visitorId: long('v', 200), goal: long('goal') });
  await append(app, tenant, id, [{ role: 'visitor', text: long('Hello', 2_000) }]);
  const person = `{ resolvedPersonId: "p_1", firstName: "${long('Ada', 200)}", company: "${long('Engines', 200)}" }`;
  await apply(app, tenant, id, `resolveIdentity(conversationId: $id, identity: ${person})`);
  await apply(app, tenant, id, `markOutcome(conversationId: $id, category: "${long('won', 100)}")`);

  const { id: sync } = await syncOf(app, tenant);
  const secret = `mutation { setRecorderWebhookSecret(secret: "${newSigningSecret()}") { hasSecret } }`;
  await app.graphql(secret, {}, tenant.write);
  await act(app, tenant, { action: 'seek', name: FEED, to: 'end' });
  const startsAt = new Date().toISOString();
  const asAdmin = (name: string, body: object) =>
    app.request('POST', `/api/drift.${name}`, { key: app.admin, body });
  await asAdmin('createPlannedChange', { type: 'campaign', title: CHANGE, startsAt, stage: STAGE });
  // Two checks in a row raise an alert.
  for (let checks = 0; checks < 2; checks += 1) await asAdmin('triggerCheck', { stage: STAGE });
  await app.services.tenants.create({ customerId: 88_001, orgId: long('org'), name: long('Acme') });
  return { endpoint: String(endpoint.id), delivery: delivery.id, conversation: id, sync };
}

/** Starts the service with a customer that has one of everything, with long texts, and a browser. */
export async function startFullConsole() {
  await using cleanUp = new AsyncDisposableStack();
  const sidecar = cleanUp.use(await startTestSidecar());
  const samples = (first: number) =>
    leads(60, first).map(({ features, ...row }) => ({
      ...row,
      features: { ...features, [FEATURE]: long(`category ${first}`) },
    }));
  await sidecar.add('reference', STAGE, samples(1));
  await sidecar.add('current', STAGE, samples(2));
  await sidecar.check();
  const stage = cleanUp.adopt(await startStage(meetings, { ML_SIDECAR_URL: sidecar.url }), (started) =>
    started.stop(),
  );
  const tenant = await connectedTenant(stage.app);
  const ids = await seed(stage, tenant);
  const started = cleanUp.move();
  return {
    ...{ stage, tenant, ids },
    /** Opens the console with an admin key, which can use all pages, and selects the customer. */
    async openAsAdmin(width: number): Promise<ConsolePage> {
      const tab = await stage.openAt(stage.app.admin, '/', width);
      await tab.page.getByRole('combobox', { name: 'Active customer' }).click();
      await tab.page.getByRole('option', { name: `(${tenant.customerId})` }).click();
      await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      return tab;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
