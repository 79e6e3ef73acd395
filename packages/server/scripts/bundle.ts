/**
 * Bundles the sources of the server and its dependencies into `.bundle`, for tests that start many servers.
 * Loading the few bundled files takes half of the CPU time of loading the 900 original files.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const folder = join(import.meta.dirname, '..');
const core = createRequire(join(folder, '../core/package.json'));
/** The dependencies of core that contain native code. */
const NATIVE = ['@node-rs/argon2', 'better-sqlite3'];
/** Packages that are not bundled, because they read their own files or start threads. */
const WITH_FILES = ['@affkit/dashboard', 'geoip-lite', 'pg-native', 'pino'];
const conditions = ['@affkit/source', 'module', 'node', 'default'];

await build({
  root: folder,
  configFile: false,
  logLevel: 'warn',
  plugins: [
    {
      name: 'native',
      enforce: 'pre',
      resolveId: (id) =>
        NATIVE.includes(id) ? { id: pathToFileURL(core.resolve(id)).href, external: true } : null,
    },
  ],
  resolve: { conditions },
  ssr: { noExternal: true, external: WITH_FILES, resolve: { conditions } },
  build: {
    ssr: 'src/main.ts',
    outDir: '.bundle',
    minify: false,
    target: 'node24',
    // All files are in one folder directly below the package. From there, `../package.json` leads to the manifest
    // of the package, as it does from `src`.
    rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } },
  },
});
