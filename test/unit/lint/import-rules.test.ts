import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Override {
  includes: string[];
  linter: { rules: { style?: { noRestrictedImports?: unknown } } };
}

const rootFile = (path: string) => new URL(`../../../${path}`, import.meta.url);
const { overrides }: { overrides: Override[] } = JSON.parse(readFileSync(rootFile('biome.json'), 'utf8'));
const restricted = overrides
  .filter(({ linter }) => linter.rules.style?.noRestrictedImports)
  .flatMap(({ includes }) => includes);

const features = readdirSync(rootFile('src/features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test.each(features)('the imports of the feature %s are restricted', (feature) => {
  expect(restricted).toContain(`src/features/${feature}/**`);
});
