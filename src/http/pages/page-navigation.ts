import { CONSOLE_BASE, isConsoleBuilt } from './console-page.ts';

interface LinkedPage {
  path: string;
  name: string;
  description: string;
}

/** Pages outside of the console. */
export const PAGES: readonly LinkedPage[] = [
  { path: '/graphql', name: 'GraphiQL', description: 'All operations of the GraphQL API' },
  { path: '/api/v1/docs', name: 'REST v1', description: 'Webhook endpoints and their deliveries' },
  {
    path: '/v1/docs',
    name: 'REST preview',
    description: 'Events and conversations; may change without notice',
  },
  { path: '/api/docs', name: 'Drift procedures', description: 'Drift of the scoring model, health, metrics' },
];

/** Dark in both color schemes, so that it needs no script. */
const STYLE = `
.page-navigation { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.6rem 1rem; background: #1f2430; font: 0.875rem/1.5 system-ui, sans-serif }
.page-navigation a { color: #dbe4ff; text-underline-offset: 0.2em }
.page-navigation a[aria-current] { color: #fff; font-weight: 600; text-decoration: none }
.page-navigation a:focus-visible { outline: 2px solid #fff; outline-offset: 2px }`;

/** Renders the links from one page to the others and to the console. */
export function pageNavigation(current: string, nonce: string): string {
  const home = isConsoleBuilt()
    ? { path: CONSOLE_BASE, name: '← Console' }
    : { path: '/', name: '← Start page' };
  const links = [home, ...PAGES].map(({ path, name }) => {
    const state = path === current ? ' aria-current="page"' : '';
    return `<a href="${path}"${state}>${name}</a>`;
  });
  return `<style nonce="${nonce}">${STYLE}
</style>
<nav class="page-navigation" aria-label="Pages">
${links.join('\n')}
</nav>`;
}
