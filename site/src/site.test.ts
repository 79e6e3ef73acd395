import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../packages/core/test/support/make-temp-folder.ts';
import { findLinkProblems } from './built-links.ts';
import { addContentPolicy } from './content-policy.ts';
import { renderFlowchart } from './flowchart.ts';
import { resolveLink } from './links.ts';
import { NAVIGATION } from './navigation.ts';
import { describedOperations } from './operation.ts';
import { listPages, ROOT, sidebar } from './pages.ts';
import { readOpenApi, renderReference } from './reference.ts';

const pages = listPages();

test('every page that the navigation names exists', () => {
  const names = Object.values(NAVIGATION).flatMap((group) => Object.keys(group));
  expect(names.filter((name) => !pages.has(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('the sidebar links to every page of the repository', () => {
  const links = sidebar(pages).flatMap(({ items = [] }) => items.map(({ link }) => link));
  const paths = [...pages]
    .filter(([file]) => !file.startsWith('site/'))
    .map(([, path]) => `/${path.replace(/\.md$/, '')}`);
  expect([...links].sort()).toEqual(paths.sort());
});

test.each([
  ['docs/api.md', 'guides/hosting.md#run-the-server', '/guides/hosting#run-the-server'],
  ['docs/README.md', '../README.md#try-it', '/introduction#try-it'],
  ['docs/guides/tracker.md', '../../packages/node/README.md', '/packages/node'],
  ['site/reference/index.md', '../../docs/api.md', '/api'],
  ['docs/guarantees.md', '../biome.json', 'https://github.com/a/b/blob/HEAD/biome.json'],
  ['README.md', 'docs/guides/', 'https://github.com/a/b/tree/HEAD/docs/guides'],
])('in %s, the link %s leads to %s', (source, href, target) => {
  expect(resolveLink(source, href, { pages, repositoryUrl: 'https://github.com/a/b' })).toBe(target);
});

test('a link to a source file is left out if the repository has no address', () => {
  expect(resolveLink('README.md', 'biome.json', { pages, repositoryUrl: undefined })).toBeUndefined();
});

test('a link to a missing file fails the build', () => {
  const resolve = () => resolveLink('docs/api.md', 'no.md', { pages, repositoryUrl: undefined });
  expect(resolve).toThrow('docs/api.md links to no.md, which does not exist');
});

test('every diagram of the pages can be drawn', () => {
  const diagrams = [...pages.keys()]
    .filter((file) => !file.startsWith('site/reference/'))
    .flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```mermaid\n([\s\S]*?)^```/gm)]);
  expect(diagrams.length).toBeGreaterThan(1);
  for (const [, text = ''] of diagrams) {
    const svg = renderFlowchart(text);
    expect(svg.match(/class="edge/g)).toHaveLength(text.match(/-->|-\.->|\.->/g)?.length ?? 0);
  }
});

test.each(['sequenceDiagram\na->>b: hi', 'flowchart LR\na{choice} --> b'])(
  'a diagram with other syntax fails the build: %s',
  (text) => {
    expect(() => renderFlowchart(text)).toThrow(/diagram/);
  },
);

test('the reference has each route once, with its fields, replies, and errors', async () => {
  const document = await readOpenApi();
  const text = [...renderReference(document).values()].join('\n');
  const ids = [...text.matchAll(/^## .+ \{#(\w+)\}$/gm)].map(([, id]) => id);
  const operations = describedOperations(document);
  expect(operations.length).toBeGreaterThan(100);
  expect(ids.sort()).toEqual(operations.map(({ operation }) => operation.operationId).sort());
  const sale = text.slice(text.indexOf('{#trackSale}'), text.indexOf('{#trackRefund}'));
  for (const part of ['POST', '/api/', 'transaction_id', 'amount_cents', 'duplicate_transaction', 'curl ']) {
    expect(sale.replaceAll('<wbr>', '')).toContain(part);
  }
});

test('finds links and fragments without a target, and resources of other servers, in built pages', () => {
  const folder = makeTempFolder();
  mkdirSync(join(folder, 'guides'));
  writeFileSync(join(folder, 'index.html'), '<h1 id="a">A</h1><a href="/docs/guides/b#c">b</a>');
  const links = [
    '../',
    '/docs/#a',
    '#c',
    'b',
    'https://example.org',
    '/other',
    '#d',
    '/docs/no',
    '/docs/#no',
  ];
  const html = links.map((href) => `<a href="${href}">link</a>`).join('');
  const font = '<link rel="stylesheet" href="https://fonts.example/x.css">';
  writeFileSync(join(folder, 'guides/b.html'), `${font}<h1 id="c">B</h1>${html}`);
  expect(findLinkProblems(folder, '/docs/')).toEqual([
    '/guides/b.html loads https://fonts.example/x.css from another server',
    '/guides/b.html links to /other',
    '/guides/b.html links to #d',
    '/guides/b.html links to /docs/no',
    '/guides/b.html links to /docs/#no',
  ]);
});

test('the content policy allows only the inline scripts of the page', () => {
  const html = addContentPolicy('<meta charset="utf-8"><script>1</script><script src="/a.js"></script>');
  expect(html).toContain(
    "script-src 'self' 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='; style-src",
  );
});
