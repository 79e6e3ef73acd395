import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { preloadsOf } from './scripts/page-preloads.ts';
import { sizeBudget } from './scripts/size-budget.ts';
import type { ManifestEntry } from './src/files.ts';

const OUT = join(import.meta.dirname, 'dist/app');
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Whether a module is part of `@tanstack`, is used by all pages behind the sign-in, or is too small for a chunk of its
 * own. Modules that are loaded on demand are excluded.
 */
function isShared(id: string): boolean {
  return (
    /node_modules[\\/]@tanstack/.test(id) ||
    /[\\/]app[\\/](?:format[\\/](?:isolate|list|money|number|time)|shell[\\/](?!advertiser|command|key-list|not-found|program-switch|rank)|api[\\/]payable|messages[\\/]\w+[\\/]plural|ui[\\/](?:net-sums|use-query|values))/.test(
      id,
    )
  );
}

/** Whether every page of the partner portal loads the module. */
function isPortal(id: string): boolean {
  return /[\\/]app[\\/](?:api[\\/](?:portal-|use-portal)|messages[\\/]\w+[\\/]portal\.|portal[\\/](?:enrollment|nav|states)\.)/.test(
    id,
  );
}

/** Writes the compressed form of each file, and the manifest that lists the files. */
function compress(): Plugin {
  return {
    name: 'affkit-compress',
    writeBundle(_options, bundle) {
      const preloads = preloadsOf(bundle);
      const paths = globSync('**/*.*', { cwd: OUT }).sort();
      const manifest = paths.map((path): ManifestEntry => {
        const bytes = readFileSync(join(OUT, path));
        const type = TYPES[extname(path)];
        if (type === undefined) throw new Error(`vite.config.ts has no content type for ${path}`);
        const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(join(OUT, `${path}.br`), brotliCompressSync(bytes, { params: quality }));
        writeFileSync(join(OUT, `${path}.gz`), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
        const hash = createHash('sha256').update(bytes).digest('base64url');
        return { path, type, hash, ...(path === 'index.html' && { preloads }) };
      });
      writeFileSync(join(OUT, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    },
  };
}

/**
 * Removes the code that Vite adds to every `import()` to preload the imports of a page. This code adds 1.9 kB
 * to the overview. It is not needed: the HTML lists the files of the first page, and `loadFirst` loads other
 * pages before the click.
 */
function withoutPreloadLists(): Plugin {
  return {
    name: 'affkit-without-preload-lists',
    enforce: 'pre',
    load: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => 'export const __vitePreload = (load) => load();',
    },
  };
}

/**
 * Leaves out the code of infinite queries, which load page after page, because the dashboard has none. Without this
 * plugin, every page would load this code as a part of the query library.
 */
function withoutInfiniteQueries(): Plugin {
  return {
    name: 'affkit-without-infinite-queries',
    enforce: 'pre',
    load: {
      filter: { id: /query-core[\\/].*[\\/]infiniteQueryBehavior\.js$/ },
      handler:
        () => `export function infiniteQueryBehavior() { throw new Error('The dashboard has no infinite queries'); }
        export { infiniteQueryBehavior as hasNextPage, infiniteQueryBehavior as hasPreviousPage };`,
    },
  };
}

// Vite keeps an existing `NODE_ENV`. Without this line, a build that runs within tests would contain the larger
// development code of libraries.
process.env['NODE_ENV'] = 'production';

export default defineConfig({
  root: join(import.meta.dirname, 'app'),
  base: './',
  experimental: {
    // The dashboard may be mounted at any path. Links in the HTML therefore start with a placeholder, which
    // the server replaces with the mount path.
    renderBuiltUrl: (path, { hostType }) =>
      hostType === 'html' ? `__AFFKIT_BASE__/${path}` : { relative: true },
  },
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // All pages share one CSS file, so that no script has to load CSS.
    cssCodeSplit: false,
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    reportCompressedSize: false,
    rolldownOptions: {
      // d3-array calls `bisector` when it is loaded. The dashboard does not use the results, so the calls are removed.
      treeshake: { manualPureFunctions: ['bisector'], propertyReadSideEffects: false },
      // Puts each message into the page that uses it. By default, the messages of all pages would be in
      // one shared file.
      optimization: { inlineConst: { mode: 'all' } },
      output: {
        // A browser requests only six files at a time, so everything that all pages need is put into few
        // files.
        codeSplitting: {
          groups: [
            { name: 'entry', tags: ['$initial'], priority: 2 },
            { name: 'shared', test: isShared, priority: 1 },
            { name: 'portal', test: isPortal },
            {
              name: 'figures',
              test: /[\\/]app[\\/](?:charts[\\/]|pages[\\/]overview[\\/](?:history|measure|period)|ui[\\/]use-later)|[\\/]d3-array[\\/]/,
            },
            {
              name: 'list',
              test: /[\\/]app[\\/]ui[\\/](?:csv-link|menu|search|status-filter|table|use-(?:filters|list|typed))/,
            },
            { name: 'dialog', test: /[\\/]app[\\/]ui[\\/]dialog/ },
            // Small modules that are used together are smaller in one file.
            { name: 'secrets', test: /[\\/]app[\\/]ui[\\/](?:code-block|copy-secret)/ },
            {
              name: 'commission',
              test: /[\\/]app[\\/](?:pages[\\/]commissions[\\/](?:commission-status|net-amount)|ui[\\/]net-sums)/,
            },
            {
              name: 'people',
              test: /[\\/]app[\\/](?:pages[\\/]partners[\\/](?:partner-actions|use)|ui[\\/](?:invitation|person))/,
            },
          ],
        },
      },
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [
    withoutPreloadLists(),
    withoutInfiniteQueries(),
    sizeBudget(join(import.meta.dirname, 'dist/page-sizes.json')),
    compress(),
  ],
});
