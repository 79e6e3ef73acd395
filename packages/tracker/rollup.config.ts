import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import terserPlugin from '@rollup/plugin-terser';
import typescriptPlugin from '@rollup/plugin-typescript';
import type { Plugin, RollupOptions } from 'rollup';

// The types of both plugins describe a CommonJS default export, but Node loads their ES modules.
const terser = terserPlugin as unknown as typeof terserPlugin.default;
const typescript = typescriptPlugin as unknown as typeof typescriptPlugin.default;

/** The maximum size of the script after gzip, in bytes. */
const SCRIPT_BUDGET = 3_700;

/** The maximum size of the linker after gzip, in bytes. Only sites with several domains load it. */
const LINKER_BUDGET = 1_000;

/** The maximum size of the React subpath after gzip, in bytes, without its imports. */
const REACT_BUDGET = 300;

/** Prints the size and the SRI value of each file. If a file exceeds the budget, the build fails. */
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
 * Turns top-level functions into arrow functions, and all declarations into `let`, because this compresses
 * better. No function may be called above its declaration. Line numbers in the source map do not change.
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
 * Writes all strings as template literals, because a file with a single kind of quotes compresses better. The
 * function around the file becomes a block, which also keeps declarations out of the global scope.
 */
function shortSyntax(): Plugin {
  return {
    name: 'short-syntax',
    renderChunk: (code) => ({
      code: code.replace(/"([^"\\`$]*)"/g, '`$1`').replace(/^(\/\/.*\n)?\(\(\)=>(.*)\)\(\);$/s, '$1$2'),
      map: null,
    }),
  };
}

/**
 * Begins the file with a comment for V8. V8 then compiles all functions while it downloads the file, and not
 * on the main thread when they are first called. Other engines ignore the comment.
 */
const compileHint = (): Plugin => ({ name: 'compile-hint', banner: () => '//# allFunctionsCalledOnLoad' });

/**
 * Generates the short names. `letters` has the most frequent letters first. With this order, found by experiment, the
 * script is smaller after gzip than with Terser's own order. After larger changes, another order may be better.
 * The order of declarations, of the fields of an object, and of the alternatives in a regular expression also changes
 * the size by a few bytes. Their order in the sources was found in the same way.
 * Terser runs in a worker, which gets a copy of this object, so `get` can use only `this`.
 */
const shortNames = {
  letters: 'etasorinkFwuXdIKjMNylgPv_cGBDzxYOAVfEQUmTJqLChSZbRp$WH',
  get(index: number): string {
    const letter = this.letters[index % this.letters.length] as string;
    return index < this.letters.length
      ? letter
      : letter + this.get(Math.floor(index / this.letters.length) - 1);
  },
};

const tsconfig = `${import.meta.dirname}/tsconfig.build.json`;
const inPackage = (path: string) => `${import.meta.dirname}/${path}`;

/** The plugins for files that script tags load. Types are checked only by the build of the module. */
const scriptPlugins = (budget: number) => [
  typescript({ tsconfig, declaration: false, noCheck: true }),
  shortDeclarations(),
  terser({
    ecma: 2019,
    compress: {
      inline: 1,
      passes: 3,
      hoist_funs: true,
      pure_getters: true,
      unsafe: true,
      unsafe_arrows: true,
      unsafe_comps: true,
      unsafe_math: true,
    },
    mangle: false,
    format: { comments: /allFunctionsCalledOnLoad/ },
  }),
  // Names are shortened in a second step, so that their lengths cannot change what the first step does.
  terser({
    ecma: 2019,
    compress: false,
    // Renames only properties that are not part of a request, of the public API, or of the stored state.
    mangle: { properties: { regex: /^waitMs$/ }, nth_identifier: shortNames },
    format: { comments: /allFunctionsCalledOnLoad/ },
  }),
  shortSyntax(),
  sizeBudget(budget),
];

const script = {
  input: fileURLToPath(import.meta.resolve('./src/affkit.ts')),
  plugins: [compileHint(), ...scriptPlugins(SCRIPT_BUDGET)],
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
    // Sites with React compile this code for their own target browsers.
    typescript({ tsconfig, target: 'es2020', declaration: false, noCheck: true }),
    terser({ ecma: 2020, module: true }),
    sizeBudget(REACT_BUDGET),
  ],
  output: {
    file: inPackage('dist/react.js'),
    format: 'es',
    sourcemap: 'hidden',
    // Import the built module. A bundled copy would be a second tracker.
    paths: (id) => (/create-tracker/.test(id) ? './index.js' : id),
  },
};

export default [script, linker, module, react] as const satisfies readonly RollupOptions[];
