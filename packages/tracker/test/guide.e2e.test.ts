import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { createViteServer } from 'vitest/node';
import manifest from '../package.json' with { type: 'json' };
import { clickCookies, consoleOutput, page, setUp, site } from './browser.ts';
import { examples, exampleWith, GUIDE_SERVER } from './guide.ts';

setUp();

const folder = join(import.meta.dirname, '..');
/** Returns the built file of an entry. If this test imported the package by its name, it would get the sources. */
const built = (entry: '.' | './react') => join(folder, manifest.exports[entry].default);

it('the guide contains the examples that these tests run', () => {
  const count = (wanted: string) => examples.filter(({ language }) => language === wanted).length;
  const languages = [...new Set(examples.map(({ language }) => language))].sort();
  expect(languages.map((language) => [language, count(language)])).toEqual([
    ['caddyfile', 1],
    ['html', 6],
    ['js', 2],
    ['nginx', 1],
    ['ts', 1],
    ['tsx', 1],
  ]);
});

const html = examples.filter(({ language }) => language === 'html').map(({ text }) => text);

it.each(html)('this example of the guide tracks a visit: %s', async (text) => {
  site.pages.set('/guide', text.replaceAll(GUIDE_SERVER, site.track));
  await page.goto(`${site.shop}/guide?aff=ann`);
  await page.waitForFunction(() => 'getClickId' in affkit);
  // Gives consent, for pages that wait for it.
  await page.evaluate(() => {
    document.dispatchEvent(new CustomEvent('consent', { detail: { marketing: true } }));
  });
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(site.requests).toHaveLength(1);
  expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
  expect(consoleOutput).toEqual([]);
});

const moduleExample = exampleWith('ts', 'createTracker');
const reactExample = exampleWith('tsx', 'AffkitTracker');

/**
 * The parsed files of packages and libraries. They are cached, because TypeScript takes seconds to parse
 * them.
 */
const parsedFiles = new Map<string, ts.SourceFile>();

/** Type-checks files that import the built package. @returns the messages of the compiler */
function findTypeProblems(files: Readonly<Record<string, string>>): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    jsx: ts.JsxEmit.ReactJSX,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    // Skips only TypeScript's own libraries, not the types of the built package.
    skipDefaultLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const textOf = (path: string) => files[path.slice(folder.length + 1)];
  host.fileExists = (path) => textOf(path) !== undefined || fileExists(path);
  host.readFile = (path) => textOf(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    if (textOf(path) !== undefined) return getSourceFile(path, ...rest);
    const parsed = parsedFiles.get(path) ?? getSourceFile(path, ...rest);
    if (parsed) parsedFiles.set(path, parsed);
    return parsed;
  };
  const paths = Object.keys(files).map((name) => join(folder, name));
  const program = ts.createProgram(paths, options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the types of the built package', () => {
  it('accept the examples and the global of the script', () => {
    const global = `import type {} from '@affkit/tracker';
      export const id: string | null | undefined = window.affkit?.getClickId();
      export const answer = window.affkit?.('trackLead', { customer_key: 'user-1' });`;
    expect(
      findTypeProblems({ 'example.ts': moduleExample, 'example.tsx': reactExample, 'global.ts': global }),
    ).toEqual([]);
  });

  it('reject unknown options and methods', () => {
    expect(
      findTypeProblems({
        'wrong.ts': `import { createTracker } from '@affkit/tracker';
          createTracker({ baseURL: '/t' });
          window.affkit?.('track');`,
      }),
    ).toHaveLength(2);
  });
});

// The example contains no types, so it runs without compilation.
it('the module example tracks a visit and a lead', async () => {
  site.pages.set('/tracker.mjs', {
    html: readFileSync(built('.'), 'utf8'),
    headers: { 'Content-Type': 'text/javascript' },
  });
  const imports = JSON.stringify({ imports: { '@affkit/tracker': '/tracker.mjs' } });
  site.pages.set(
    '/app',
    `<script type="importmap">${imports}</script><script type="module">
      ${moduleExample.replaceAll(GUIDE_SERVER, site.track)}</script>`,
  );
  await page.goto(`${site.shop}/app?aff=ann`);
  await site.waitForRequests(2);
  expect(site.requests.map(({ path, body }) => [path, body['click_id'], body['customer_key']])).toEqual([
    ['/api/v1/track/click', undefined, undefined],
    ['/api/v1/track/lead', 'clk_ann', 'user-1'],
  ]);
  expect(consoleOutput).toEqual([]);
});

it('the React example tracks the visit and fills in the click id', async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'affkit-vite-'));
  const files: Readonly<Record<string, string>> = {
    [join(folder, 'example.tsx')]: reactExample.replaceAll(GUIDE_SERVER, site.track),
    [join(folder, 'main.tsx')]: `import { createRoot } from 'react-dom/client';
      import { ClickField, Tracking } from './example.tsx';
      createRoot(document.querySelector('main')).render(<form><Tracking /><ClickField /></form>);`,
  };
  const vite = await createViteServer({
    configFile: false,
    root: folder,
    cacheDir,
    logLevel: 'silent',
    appType: 'custom',
    server: {
      port: 0,
      host: '127.0.0.1',
      hmr: false,
      ws: false,
      watch: null,
      cors: true,
      allowedHosts: true,
    },
    optimizeDeps: { include: ['react', 'react-dom/client', 'react/jsx-dev-runtime'], noDiscovery: true },
    resolve: { alias: { '@affkit/tracker/react': built('./react') } },
    plugins: [
      {
        name: 'guide',
        enforce: 'pre',
        resolveId: (id) => Object.keys(files).find((path) => path.endsWith(id.replace(/^\.?/, ''))),
        load: (id) => files[id],
      },
    ],
  });
  try {
    await vite.listen();
    const [origin = ''] = vite.resolvedUrls?.local ?? [];
    site.pages.set('/react', `<main></main><script type="module" src="${origin}main.tsx"></script>`);
    await page.goto(`${site.shop}/react?aff=ann`);
    await page.waitForFunction(() => document.querySelector('input[name=click_id][value=clk_ann]'));
    expect(site.requests).toHaveLength(1);
    expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
  } finally {
    await vite.close();
    rmSync(cacheDir, { recursive: true, force: true });
  }
});
