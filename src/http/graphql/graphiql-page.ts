import { Worker } from 'node:worker_threads';
import manifest from '@graphql-yoga/render-graphiql/package.json' with { type: 'json' };
import { SCOPES, type Scope } from '../../features/tenants/scopes.ts';
import { pageNavigation } from '../pages/page-navigation.ts';
import type { Asset } from '../pages/static-assets.ts';
import { EXAMPLES } from './examples/graphiql-examples.ts';

/** CSP directives that the page requires in addition to its nonce: the editor runs blobs and positions lines by style attributes. */
export const GRAPHIQL_CSP: readonly string[] = [
  'worker-src blob:',
  'font-src data:',
  "style-src-attr 'unsafe-inline'",
];

interface Bundle {
  css: Uint8Array;
  js: Uint8Array;
}

let bundle: Promise<Bundle> | undefined;

/** Compresses the bundle once, on first use, in a worker: it costs half a second and 50 MB that most processes never need. */
function loadBundle(): Promise<Bundle> {
  bundle ??= new Promise<Bundle>((resolve, reject) => {
    new Worker(new URL('./graphiql-bundle.ts', import.meta.url))
      .once('message', resolve)
      .once('error', reject);
  });
  return bundle;
}

const BASE = `/graphql/assets/${manifest.version}`;
const CSS: Asset = {
  path: `${BASE}/graphiql.css`,
  type: 'text/css; charset=utf-8',
  gzip: async () => (await loadBundle()).css,
};
const JS: Asset = {
  path: `${BASE}/graphiql.js`,
  type: 'text/javascript; charset=utf-8',
  gzip: async () => (await loadBundle()).js,
};

/** Serializes JSON for use within a script element. */
const inlineJson = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');

/** Script that adds the nonce to style elements which the editor creates, so that the CSP needs no `unsafe-inline`. */
const nonceScript = (nonce: string) => `
const create = Document.prototype.createElement;
Document.prototype.createElement = function (...args) {
  const element = create.apply(this, args);
  if (element instanceof HTMLStyleElement) element.nonce = ${inlineJson(nonce)};
  return element;
};`;

/** The editor copies the query into the address of the page, which would then be that of an operation (contract 12). */
const ADDRESS_SCRIPT = 'history.replaceState = () => {};';

/** The editor fills the space below the navigation. */
const STYLE = `
body { display: flex; flex-direction: column; height: 100dvh; margin: 0 }
#root { flex: 1; min-height: 0; height: auto }`;

interface GraphiQLOptions {
  /** Prefilled as the `Authorization` header for local users; null leaves it to the user. */
  demoKeys: Record<Scope, string> | null;
}

/** First line of a tab for which the scope `read` is not sufficient; also identifies the tab when it is restored. */
const SCOPE_NOTE = '# Requires an API key with the scope ';
const scopeNote = (scope: Scope): string => (scope === 'read' ? '' : `${SCOPE_NOTE}${scope}.\n`);

const headersOf = (scope: Scope, demoKeys: GraphiQLOptions['demoKeys']): string =>
  JSON.stringify({ Authorization: `Bearer ${demoKeys?.[scope] ?? ''}` }, null, 2);

/**
 * Script that gives restored tabs the demo key of the scope that they require: the editor stores tabs without their
 * headers, which keeps keys out of the browser's storage.
 */
const restoredHeadersScript = (demoKeys: Record<Scope, string>) => `
const headersByScope = ${inlineJson(Object.fromEntries(SCOPES.map((scope) => [scope, headersOf(scope, demoKeys)])))};
const headersFor = ({ query }) =>
  headersByScope[['write', 'admin'].find((scope) => query?.startsWith(${inlineJson(SCOPE_NOTE)} + scope)) ?? 'read'];
const getItem = Storage.prototype.getItem;
Storage.prototype.getItem = function (name) {
  if (name !== 'graphiql:tabState' && name !== 'graphiql:headers') return getItem.call(this, name);
  const state = JSON.parse(getItem.call(this, 'graphiql:tabState'));
  if (!state) return null;
  if (name === 'graphiql:headers') return headersFor(state.tabs[state.activeTabIndex] ?? {});
  for (const tab of state.tabs) tab.headers = headersFor(tab);
  return JSON.stringify(state);
};`;

/** Options of the editor as JSON. */
function pageOptions(demoKeys: GraphiQLOptions['demoKeys']): string {
  const headers = headersOf('read', demoKeys);
  return inlineJson({
    title: 'Engagement',
    endpoint: '/graphql',
    method: 'POST',
    headers,
    defaultTabs: EXAMPLES.map(({ scope, query, variables }) => ({
      query: scopeNote(scope) + query,
      variables: JSON.stringify(variables, null, 2),
      headers: headersOf(scope, demoKeys),
    })),
    // Keeps API keys out of the browser's storage.
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
  });
}

/** GraphiQL, served from local files only. */
export function graphiqlPage({ demoKeys }: GraphiQLOptions) {
  const plain = pageOptions(null);
  const prefilled = pageOptions(demoKeys);
  const restoredHeaders = demoKeys ? restoredHeadersScript(demoKeys) : '';
  return {
    assets: [CSS, JS],
    page: (nonce: string, { local }: { local: boolean }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${CSS.path}">
</head>
<body class="no-focus-outline">
${pageNavigation('/graphql', nonce)}
<style nonce="${nonce}">${STYLE}
</style>
<noscript>GraphiQL requires JavaScript.</noscript>
<div id="root"></div>
<script nonce="${nonce}">${nonceScript(nonce)}
${ADDRESS_SCRIPT}${local ? restoredHeaders : ''}</script>
<script nonce="${nonce}" src="${JS.path}"></script>
<script nonce="${nonce}">YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), ${local ? prefilled : plain});</script>
</body>
</html>
`,
  };
}

/** The page of a service that executes trusted documents only: GraphiQL could execute none of its own. */
export const GRAPHIQL_NOTICE = {
  assets: [],
  page: (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphQL</title>
<link rel="icon" href="data:,">
</head>
<body>
${pageNavigation('/graphql', nonce)}
<h1>GraphiQL is not available</h1>
<p>This service executes only the GraphQL documents of its console (<code>GRAPHQL_DOCUMENTS=trusted</code>).
The REST APIs are documented at <a href="/api/v1/docs">/api/v1/docs</a> and <a href="/v1/docs">/v1/docs</a>.</p>
</body>
</html>
`,
};
