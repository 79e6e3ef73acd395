import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import terserPlugin from '@rollup/plugin-terser';
import typescriptPlugin from '@rollup/plugin-typescript';
import type { Plugin, RollupOptions } from 'rollup';

// Both plugins declare a CommonJS default export, but Node loads their ES modules.
const terser = terserPlugin as unknown as typeof terserPlugin.default;
const typescript = typescriptPlugin as unknown as typeof typescriptPlugin.default;

/** Maximum size of the gzipped script in bytes. */
const SCRIPT_BUDGET = 3_700;

/** Maximum size of the gzipped linker in bytes. Sites with several domains add its tag. */
const LINKER_BUDGET = 1_000;

/** Maximum size of the gzipped React subpath in bytes, without its imports. */
const REACT_BUDGET = 300;

/** Prints size and SRI value of each file. The build fails above the budget. */
function sizeBudget(budget: number): Plugin {
  return {
    name: 'size-budget',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const size = gzipSync(file.code, { level: 9 }).length;
        if (size > budget) this.error(`${file.fileName}: ${size} B gzip, above ${budget}`);
        const digest = createHash('sha384').update(file.code).digest('base64');
        this.info(`${file.fileName}: ${file.code.length} B, ${size} B gzip of ${budget}`);
        this.info(`${file.fileName}: integrity="sha384-${digest}"`);
      }
    },
  };
}

/**
 * Declares top-level functions as arrow functions and everything with `let`, which compresses better. No function
 * is called above its declaration. The line numbers of the source map stay correct.
 */
function shortDeclarations(): Plugin {
  return {
    name: 'short-declarations',
    transform: (code) => ({
      code: code
        .replace(/^(export )?(async )?function (\w+)(\(.*\)) \{$/gm, '$1let $3 = $2$4 => {')
        .replace(/\bconst /g, 'let '),
      map: null,
    }),
  };
}

/**
 * Writes all strings as template literals, because a file with one kind of quotes compresses better. Replaces the
 * function around the file by a block, which declares no globals either.
 */
function shortSyntax(): Plugin {
  return {
    name: 'short-syntax',
    renderChunk: (code) => ({
      code: code.replace(/"([^"\\`$]*)"/g, '`$1`').replace(/^\(\(\)=>(.*)\)\(\);$/s, '$1'),
      map: null,
    }),
  };
}

const tsconfig = `${import.meta.dirname}/tsconfig.build.json`;
const inPackage = (path: string) => `${import.meta.dirname}/${path}`;

/** Plugins of the files for script tags. The build of the module checks their types. */
const scriptPlugins = (budget: number) => [
  typescript({ tsconfig, declaration: false, noCheck: true }),
  shortDeclarations(),
  terser({
    ecma: 2019,
    compress: {
      inline: 1,
      passes: 2,
      hoist_funs: true,
      pure_getters: true,
      unsafe: true,
      unsafe_arrows: true,
      unsafe_comps: true,
      unsafe_math: true,
      unsafe_methods: true,
    },
    // Properties that are not part of a request, the public API or the stored state.
    mangle: { properties: { regex: /^waitMs$/ } },
  }),
  shortSyntax(),
  sizeBudget(budget),
];

const script = {
  input: fileURLToPath(import.meta.resolve('./src/affkit.ts')),
  plugins: scriptPlugins(SCRIPT_BUDGET),
  output: { file: inPackage('dist/affkit.js'), format: 'iife', strict: false, sourcemap: 'hidden' },
} as const satisfies RollupOptions;

const linker = {
  input: fileURLToPath(import.meta.resolve('./src/affkit-linker.ts')),
  plugins: scriptPlugins(LINKER_BUDGET),
  output: { file: inPackage('dist/affkit-linker.js'), format: 'iife', strict: false, sourcemap: 'hidden' },
} as const satisfies RollupOptions;

const module: RollupOptions = {
  input: inPackage('src/index.ts'),
  plugins: [typescript({ tsconfig, declarationDir: inPackage('dist') })],
  output: { dir: inPackage('dist'), format: 'es', sourcemap: true },
};

const react: RollupOptions = {
  input: inPackage('src/react.ts'),
  external: ['react', /create-tracker/],
  plugins: [
    // Sites with React compile for their own browser targets.
    typescript({ tsconfig, target: 'es2020', declaration: false, noCheck: true }),
    terser({ ecma: 2020, module: true }),
    sizeBudget(REACT_BUDGET),
  ],
  output: {
    file: inPackage('dist/react.js'),
    format: 'es',
    sourcemap: 'hidden',
    // Imports the built module, because a bundled copy would be a second tracker.
    paths: (id) => (/create-tracker/.test(id) ? './index.js' : id),
  },
};

export default [script, linker, module, react] as const satisfies readonly RollupOptions[];
