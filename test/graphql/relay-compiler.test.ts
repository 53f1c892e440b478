import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { query } from './endpoint.ts';

const require = createRequire(import.meta.url);
/** The package exports the path of its binary. */
const compiler: string = require('relay-compiler');

const SCHEMA = resolve(import.meta.dirname, '../../schema/printed/schema.graphql');

/** Sources of a project with a query, a refetchable and paginated fragment, a mutation and a subscription. */
const SOURCE = `
import { graphql } from 'relay-runtime';
graphql\`query appQuery($count: Int!) { viewer { scope } ...app_endpoints @arguments(count: $count) }\`;
graphql\`fragment app_endpoints on Query
  @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
  @refetchable(queryName: "appEndpointsQuery") {
  webhookEndpoints(first: $count, after: $cursor) @connection(key: "app_webhookEndpoints") {
    edges { node { id url } }
  }
}\`;
graphql\`mutation appMutation($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id } secret }
}\`;
graphql\`subscription appSubscription { webhookDeliveryUpdated { id status } }\`;
`;

/** Compiles the project, and returns the texts of its operations by name. */
async function compile(): Promise<Record<string, string>> {
  const root = await mkdtemp(join(tmpdir(), 'engagement-relay-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await cp(SCHEMA, join(root, 'schema.graphql'));
  await writeFile(join(root, 'app.ts'), SOURCE);
  await writeFile(join(root, 'package.json'), '{ "name": "app" }');
  const config = { src: '.', schema: './schema.graphql', language: 'typescript' };
  await writeFile(join(root, 'relay.config.json'), JSON.stringify(config));
  await promisify(execFile)(compiler, ['relay.config.json'], { cwd: root });
  const names = ['appQuery', 'appEndpointsQuery', 'appMutation', 'appSubscription'];
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const artifact = await readFile(join(root, `__generated__/${name}.graphql.ts`), 'utf8');
        const text: string = JSON.parse(/"text": (".*")/.exec(artifact)?.[1] ?? '""');
        return [name, text];
      }),
    ),
  );
}

test('the Relay compiler accepts the printed schema, and its operations are executed', async () => {
  const operations = await compile();
  expect(operations.appSubscription).toContain('webhookDeliveryUpdated');
  const page = await query(operations.appQuery ?? '', { count: 1 });
  expect(page).toMatchObject({
    data: { webhookEndpoints: { edges: [{ node: { id: 1, __typename: 'WebhookEndpoint' } }] } },
  });
  const more = await query(operations.appEndpointsQuery ?? '', { count: 1, cursor: null });
  expect(more.errors).toBeUndefined();
  const created = await query(operations.appMutation ?? '', { input: { url: 'https://example.com/relay' } });
  expect(created).toMatchObject({ data: { createWebhookEndpoint: { secret: expect.any(String) } } });
});
