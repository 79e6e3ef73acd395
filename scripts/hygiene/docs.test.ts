import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(path, 'utf8');
const troubleshooting = read(join(root, 'docs/troubleshooting.md'));
const codesOnPage = new Set([...troubleshooting.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code));

test('the troubleshooting page explains every error code', () => {
  const [, table = ''] = read(join(root, 'packages/protocol/src/errors.ts')).split('export const ERRORS = {');
  const codes = [...table.matchAll(/^ {2}([a-z_]+): \{/gm)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(60);
  expect(codes.filter((code) => !codesOnPage.has(code))).toEqual([]);
});

test('the troubleshooting page explains every reason code of core', () => {
  const sources = globSync('packages/core/src/{domain,processor,reporting,tracking}/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => read(join(root, path)));
  // A reason code is a quoted word with an underscore, in a line about a reason, a note or an ignored event.
  const reasons = sources
    .flatMap((source) => source.match(/^.*(?:\breason\b|\bnote\b|\bnothing\(|\bignored\().*$/gm) ?? [])
    .flatMap((line) => line.replace(/kind(?::| ===) '\w+'/g, '').match(/'[a-z]+(?:_[a-z]+)+'/g) ?? [])
    .map((literal) => literal.slice(1, -1));
  expect(reasons.length).toBeGreaterThan(20);
  expect([...new Set(reasons)].filter((reason) => !codesOnPage.has(reason)).sort()).toEqual([]);
});

const pages = globSync(
  ['*.md', 'docs/**/*.md', '{packages,examples}/*/README.md', 'deploy/**/README.md', 'site/pages/*.md'],
  { cwd: root, exclude: (name) => name === 'node_modules' },
)
  .map((path) => join(root, path))
  .sort();

test.each(pages.map((path) => [relative(root, path), path]))(
  'every link of %s has an existing target',
  (_name, page) => {
    const broken = linksOf(read(page)).filter((link) => !isReachable(page, link));
    expect(broken).toEqual([]);
  },
);

// A release publishes these texts unchanged, so they must be true both before and after the release.
test.each(globSync(['README.md', 'packages/*/README.md', 'docs/guides/*.md'], { cwd: root }).sort())(
  '%s does not say whether Affkit is on npm',
  (page) => {
    const text = read(join(root, page)).replaceAll(/\s+/g, ' ');
    expect(text.match(/[^.]*(?:not on npm yet|first release|no release yet)[^.]*/gi)).toBeNull();
  },
);

test('no text file has a marker of a merge conflict', () => {
  const files = globSync('**/*.{css,html,js,json,md,mjs,ts,tsx,yaml,yml}', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  expect(files.length).toBeGreaterThan(800);
  expect(files.filter((path) => /^(?:<{7}|={7}|>{7})(?: |$)/m.test(read(join(root, path))))).toEqual([]);
});

/** Returns the relative targets of a page's Markdown links, outside of code blocks. */
function linksOf(page: string): string[] {
  const prose = page.replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Whether the link's file exists and has a heading for the link's fragment. */
function isReachable(page: string, link: string): boolean {
  const [path = '', fragment] = link.split('#', 2);
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(target)) return false;
  return fragment === undefined || anchorsOf(read(target)).has(fragment);
}

/** Returns the fragments that GitHub generates for the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const prose = page.replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
