import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type RollupOptions, rollup } from 'rollup';
import { parseAst } from 'rollup/parseAst';
import { expect, it } from 'vitest';
import rollupConfig from '../rollup.config.ts';
import { clickCookies, consoleOutput, linkerTag, page, setUp, site, tag } from './browser.ts';
import { engineName } from './engines/index.ts';

setUp();

const read = (path: string) => readFileSync(`${import.meta.dirname}/../${path}`, 'utf8');
const size = (path: string) => gzipSync(read(path), { level: 9 }).length;

/**
 * The node types of syntax that is newer than ES2019. `??` and logical assignments are recognized by their
 * operators.
 */
const LATER_NODES = [
  'ChainExpression',
  'ImportExpression',
  'PropertyDefinition',
  'PrivateIdentifier',
  'StaticBlock',
];
const LATER_OPERATORS = ['??', '??=', '||=', '&&='];

/** Returns the syntax in a syntax tree that is newer than ES2019. */
function findLaterSyntax(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, operator, bigint } = node as { type?: string; operator?: string; bigint?: string };
  const own = [type, operator].filter(
    (name) => name && (LATER_NODES.includes(name) || LATER_OPERATORS.includes(name)),
  );
  return [...own.map(String), ...(bigint ? ['BigInt'] : []), ...Object.values(node).flatMap(findLaterSyntax)];
}

it('detects syntax later than es2019', () => {
  const later = parseAst('a?.b; c ?? d; class E { f = 1 } let g = 1n; h ||= 2');
  expect(findLaterSyntax(later)).toEqual(['ChainExpression', '??', 'PropertyDefinition', 'BigInt', '||=']);
});

it('the script and its linker use only ES2019 and are not modules', () => {
  for (const path of ['dist/affkit.js', 'dist/affkit-linker.js']) {
    expect(findLaterSyntax(parseAst(read(path)))).toEqual([]);
    expect(read(path)).not.toMatch(/^(im|ex)port\b/m);
  }
});

it('the script begins with the comment that makes V8 compile it while it is downloaded', () => {
  // V8 ignores the comment anywhere else.
  expect(read('dist/affkit.js')).toMatch(/^\/\/# allFunctionsCalledOnLoad\n\{/);
});

it('the script and the React subpath have the sizes in the README and stay within their budgets', () => {
  const readme = read('README.md');
  const sizeInReadme = (pattern: RegExp) => Number(pattern.exec(readme)?.[1]?.replace(',', ''));
  expect(size('dist/affkit.js')).toBe(sizeInReadme(/As a script: ([\d,]+) bytes/));
  expect(size('dist/affkit.js')).toBe(sizeInReadme(/\| `@affkit\/tracker`, .*\| ([\d,]+)/));
  expect(size('dist/affkit.js')).toBeLessThanOrEqual(3_700);
  expect(size('dist/affkit-linker.js')).toBe(sizeInReadme(/\| the linker, .*\| ([\d,]+)/));
  expect(size('dist/affkit-linker.js')).toBeLessThanOrEqual(1_000);
  expect(size('dist/react.js')).toBe(sizeInReadme(/`useClickId\(\)` \((\d+) bytes\)/));
  expect(size('dist/react.js')).toBeLessThanOrEqual(300);
});

/** Builds a file. @returns the `integrity` value that the build prints */
async function printedIntegrity(options: RollupOptions): Promise<string> {
  const log: string[] = [];
  const bundle = await rollup({ ...options, onLog: (_level, { message }) => log.push(message) });
  await bundle.generate({ format: 'iife', strict: false, sourcemap: 'hidden' });
  await bundle.close();
  const [, integrity = ''] = /integrity="([^"]+)"/.exec(log.join('\n')) ?? [];
  expect(integrity).toMatch(/^sha384-/);
  return integrity;
}

it('the browser loads script and linker with CORS and the printed integrity', async () => {
  const [script, linker] = rollupConfig;
  const integrity = await printedIntegrity(script);
  const linkerPin = `crossorigin integrity="${await printedIntegrity(linker)}"`;

  // Only Chromium reports the browser's own console messages.
  const expectReason = (word: string) => {
    if (engineName === 'chromium') expect(consoleOutput.join()).toContain(word);
  };
  const tagWith = (value = '', cors = 'crossorigin') =>
    `<title>Shop</title>${tag(`integrity="${value}" ${cors} data-linker="other.test"`)}`;
  const link = `<a id=to href="${site.otherShop}/to">to</a>`;
  site.pages.set('/integrity', tagWith(integrity) + linkerTag(linkerPin) + link);
  await page.goto(`${site.shop}/integrity?aff=ann`);
  await expect.poll(clickCookies).toMatchObject([{ value: 'clk_ann' }]);
  await page.dispatchEvent('#to', 'mousedown');
  expect(await page.getAttribute('#to', 'href')).toContain('_affkit=clk_ann');
  expect(consoleOutput).toEqual([]);

  site.pages.set('/without', tagWith(integrity, ''));
  await page.goto(`${site.shop}/without?aff=bob`);
  expect(await page.evaluate('typeof affkit')).toBe('undefined');
  expectReason('CORS');
  consoleOutput.length = 0;

  site.pages.set('/altered', tagWith(`sha384-${'A'.repeat(64)}`));
  await page.goto(`${site.shop}/altered?aff=bob`);
  expect(await page.evaluate('typeof affkit')).toBe('undefined');
  expectReason('integrity');
});
