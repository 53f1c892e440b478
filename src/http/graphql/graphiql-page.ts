import { Worker } from 'node:worker_threads';
import manifest from '@graphql-yoga/render-graphiql/package.json' with { type: 'json' };
import type { Scope } from '../../features/tenants/scopes.ts';
import { projectFile } from '../../platform/project-files.ts';
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
    new Worker(projectFile('src/http/graphql/graphiql-bundle.ts'))
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

/** The editor copies the query into the address of the page, which would then name an operation (contract 12). */
const ADDRESS_SCRIPT = 'history.replaceState = () => {};';

/** The editor fills the space below the navigation. */
const STYLE = `
body { display: flex; flex-direction: column; height: 100dvh; margin: 0 }
#root { flex: 1; min-height: 0; height: auto }
#demo-hint { margin: 0; padding: 0.6rem 1rem; background: #fff3bf; color: #1f2430; font: 0.875rem/1.5 system-ui, sans-serif }`;

export interface GraphiQLOptions {
  /** Prefilled as the `Authorization` header; null leaves it to the user. */
  demoKeys: Record<Scope, string> | null;
  /** The service has demo keys; the page says how to get them. */
  isDemo: boolean;
}

/** First line of a tab that needs more than the scope `read`; also identifies the tab when it is restored. */
const SCOPE_NOTE = '# Requires an API key with the scope ';
const scopeNote = (scope: Scope): string => (scope === 'read' ? '' : `${SCOPE_NOTE}${scope}.\n`);

/** Name in the session storage, which holds the demo keys for this tab only, so that they survive a reload. */
const STORED_KEYS = 'engagement.demo-keys';

/**
 * Script that takes the demo keys from the page or, after a reload, from the storage of its tab. It removes the used
 * token from the address, and gives restored tabs the key of the scope that they require: the editor stores tabs without
 * their headers, which keeps keys out of the local storage.
 */
const keysScript = (demoKeys: GraphiQLOptions['demoKeys']) => `
const givenKeys = ${inlineJson(demoKeys)};
let demoKeys = givenKeys;
try {
  if (givenKeys) sessionStorage.setItem('${STORED_KEYS}', JSON.stringify(givenKeys));
  demoKeys = JSON.parse(sessionStorage.getItem('${STORED_KEYS}'));
} catch {}
if (location.search) history.replaceState(null, '', location.pathname);
const headersOf = (scope) =>
  JSON.stringify({ Authorization: 'Bearer ' + (demoKeys ? demoKeys[scope] : '') }, null, 2);
if (demoKeys) {
  const headersFor = ({ query }) =>
    headersOf(['write', 'admin'].find((scope) => query?.startsWith(${inlineJson(SCOPE_NOTE)} + scope)) ?? 'read');
  const getItem = Storage.prototype.getItem;
  Storage.prototype.getItem = function (name) {
    if (name !== 'graphiql:tabState' && name !== 'graphiql:headers') return getItem.call(this, name);
    const state = JSON.parse(getItem.call(this, 'graphiql:tabState'));
    if (!state) return null;
    if (name === 'graphiql:headers') return headersFor(state.tabs[state.activeTabIndex] ?? {});
    for (const tab of state.tabs) tab.headers = headersFor(tab);
    return JSON.stringify(state);
  };
}`;

/** Options of the editor as JSON, without headers. */
const PAGE_OPTIONS = inlineJson({
  title: 'Engagement',
  endpoint: '/graphql',
  method: 'POST',
  // Keeps API keys out of the browser's storage.
  shouldPersistHeaders: false,
  defaultEditorToolsVisibility: 'headers',
});

/** Example tabs as JSON; the page adds the headers. */
const TABS = inlineJson(
  EXAMPLES.map(({ scope, query, variables }) => ({
    scope,
    query: scopeNote(scope) + query,
    variables: JSON.stringify(variables, null, 2),
  })),
);

const DEMO_HINT = `<p id="demo-hint">Requests need an API key in the headers. The demo keys are in the output of <code>npm start</code>
and in <code>demo.env</code> of the data directory; the address of GraphiQL in that output opens this page with them, once.</p>`;

/** GraphiQL, served from local files only. */
export const GRAPHIQL = {
  assets: [CSS, JS],
  page: (nonce: string, { demoKeys, isDemo }: GraphiQLOptions) => `<!doctype html>
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
${isDemo && !demoKeys ? DEMO_HINT : ''}
<div id="root"></div>
<script nonce="${nonce}">${nonceScript(nonce)}
${keysScript(demoKeys)}
if (demoKeys) document.querySelector('#demo-hint')?.remove();
${ADDRESS_SCRIPT}</script>
<script nonce="${nonce}" src="${JS.path}"></script>
<script nonce="${nonce}">YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  ...${PAGE_OPTIONS},
  headers: headersOf('read'),
  defaultTabs: ${TABS}.map(({ scope, ...tab }) => ({ ...tab, headers: headersOf(scope) })),
});</script>
</body>
</html>
`,
};

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
