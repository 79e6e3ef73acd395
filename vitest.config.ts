import { registerHooks } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { CHROMIUM_ONLY } from './packages/tracker/test/engines/chromium-only.ts';
import { buildsImage, programVariables } from './scripts/programs.ts';

// Workspace packages resolve to their sources. The other conditions of the client are Vite's defaults. Vitest itself
// adds the defaults of the server.
const clientConditions = ['@affkit/source', 'module', 'browser', 'development|production'];
const serverConditions = ['@affkit/source'];
// Node itself loads the global setups, in this process. It must resolve workspace packages to their sources too.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, ...serverConditions] }),
});

const postgres = './packages/core/test/support/postgres-setup.ts';
const tempFolder = './packages/core/test/support/temp-folder-setup.ts';

/** Checks of the repository as a whole. They are slow, and fail rarely. */
const HYGIENE = ['scripts/hygiene/*.test.ts', 'packages/core/test/service/openapi-lint.test.ts'];
/**
 * Unit tests whose files share loaded modules, because loading them again for each file takes as long as the tests. The
 * two excluded files mock modules. Tests of the tracker and of `examples/backend` are not included, because the modules
 * there keep state.
 */
const SHARED =
  '{packages/{core,node,protocol,server,testing},scripts,bench,examples/shop,site}/**/!(login-burst|password).test.ts';
/** Unit tests of the tracker. They load its modules again for each page. Only the module runner of Vite can do that. */
const TRACKER = 'packages/tracker/**/*.test.ts';
/** Unit tests of modules with JSX, which Node cannot run itself. */
const PAGES = 'packages/dashboard/**/*.test.ts';
/**
 * Tests create many objects that are needed only briefly. With a large young generation, V8 spends a fifth less CPU time
 * on them. More threads would not collect them faster, because the processors are busy anyway.
 */
const COLLECT_RARELY = ['--max-semi-space-size=64', '--single-threaded-gc'];
/** Processes reuse the code that an earlier process compiled. */
const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') };
/** Node runs the TypeScript files itself, which takes a fifth less CPU time than the module runner of Vite. */
const NATIVE = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: COLLECT_RARELY,
  env: COMPILE_CACHE,
};
/** Keeps the module loader that `NATIVE` turns off. The loader replaces the mocked modules. */
const MOCKING = { experimental: { viteModuleRunner: false } };
const NOT_UNIT = [...configDefaults.exclude, '**/dist/**', '**/*.{int,e2e,attack,citus}.test.ts', ...HYGIENE];
/**
 * Tests that trace system calls or read `/proc`. On systems other than Linux, they are excluded rather than skipped,
 * because a skipped test counts as failed.
 */
const LINUX_ONLY = [
  'packages/core/test/durability/sqlite-fsync.e2e.test.ts',
  'packages/server/test/{disk,full-postgres}.e2e.test.ts',
  'packages/server/test/{fuzz,pipelining,user-agents}.attack.test.ts',
];
const UNSUPPORTED = process.platform === 'linux' ? [] : LINUX_ONLY;
const UNIT = { sequence: { groupOrder: 0 } };

const isLong = process.env['AFFKIT_TEST_LONG'] === '1';

const usesCitus = process.env['AFFKIT_TEST_CITUS'] === '1';

/** Tests of query plans, and of the conversion of an unpartitioned table. They need a single Postgres server. */
const SINGLE_SERVER = [
  'packages/core/test/database/plans.int.test.ts',
  'packages/core/test/database/job-plans.int.test.ts',
  'packages/core/src/storage/database/maintain-click-partitions.int.test.ts',
];

const MOCKING_INT = '**/login-burst.int.test.ts';
/** Database tests that measure the memory of their process. No other tests may run in that process before them. */
const MEASURING_INT = '**/payout-batch-size.int.test.ts';
const NOT_INT = [...configDefaults.exclude, '**/dist/**'];
const INT = {
  globalSetup: [postgres, tempFolder],
  ...NATIVE,
  sequence: { groupOrder: 1 },
};

const POOLED_ONLY = 'packages/core/test/database/pooled.int.test.ts';
/**
 * Database tests of core that also run through PgBouncer in transaction mode. Tests of the connections themselves, and
 * tests that look for sessions by their locks, run only on direct connections.
 */
const POOLED = {
  ...INT,
  env: { ...COMPILE_CACHE, ...programVariables() },
  globalSetup: [...INT.globalSetup, './packages/core/test/support/pgbouncer-setup.ts'],
};

/** Tests that need the network and measure times, or that take minutes. */
const LONG_ONLY = 'packages/server/test/{chaos/*,dashboard/lighthouse}.e2e.test.ts';
/** Tests that install frameworks or runtimes from the npm registry. */
const INSTALLING = [
  'examples/frameworks/test/built-apps.e2e.test.ts',
  'packages/testing/test/runtimes.e2e.test.ts',
  'scripts/hygiene/installed-packages.e2e.test.ts',
];
/** The test that executes the Dockerfile installs the workspace from the npm registry. It needs root on Linux. */
const IMAGE = 'scripts/hygiene/container.e2e.test.ts';
const NOT_SHORT = [...(isLong ? [] : INSTALLING), ...(buildsImage ? [] : [IMAGE])];

/** Tests that kill servers under load, make disks fail, or measure times: one file at a time. */
const SERIAL = [
  ...(isLong ? [LONG_ONLY] : []),
  'packages/core/test/durability/*.e2e.test.ts',
  'packages/server/test/{disk,full-postgres,postgres-restart,processes,workers}.e2e.test.ts',
];
const ON_DISK = {
  ...NATIVE,
  globalSetup: ['./scripts/build-setup.ts', postgres],
  env: { ...programVariables(), ...COMPILE_CACHE },
};
const E2E = { ...ON_DISK, globalSetup: [...ON_DISK.globalSetup, tempFolder] };

/** Tests of the tracker that use features that only Chromium has. */
const NOT_IN_OTHER_ENGINES = Object.keys(CHROMIUM_ONLY).map(
  (name) => `packages/tracker/test/${name}.e2e.test.ts`,
);
/**
 * Tests of the tracker in another engine. `npm test` runs only `journeys.e2e.test.ts`, because all files together take
 * minutes.
 */
const inEngine = (engine: 'firefox' | 'webkit') => ({
  ...E2E,
  name: engine,
  isolate: false,
  env: { ...E2E.env, AFFKIT_TEST_ENGINE: engine },
  include: [`packages/tracker/test/${isLong ? '*' : 'journeys'}.e2e.test.ts`],
  exclude: [...configDefaults.exclude, ...NOT_IN_OTHER_ENGINES],
  // `npm test` runs `journeys.e2e.test.ts` at the same time as the project `e2e`. A long run runs all files of this
  // engine later, one at a time.
  ...(isLong && { maxWorkers: 1 }),
  sequence: { groupOrder: isLong ? { firefox: 5, webkit: 6 }[engine] : 2 },
});

/** Tests of a Citus cluster. Only `npm run test:citus` runs them. `npm test` cannot, because Citus is not on npm. */
const CITUS = '**/*.citus.test.ts';

/** Attacks on a service. They measure memory and event loops, so they run one file at a time. */
const ATTACK = '**/*.attack.test.ts';

export default defineConfig({
  resolve: { conditions: clientConditions },
  ssr: { resolve: { conditions: serverConditions } },
  test: {
    allowOnly: false,
    // The timeouts catch tests that hang, not tests that are slow on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // One worker per processor is enough, although some tests wait: `npm test` runs three processes of Vitest at the
    // same time, and each worker compiles the code again.
    maxWorkers: Math.min(4, availableParallelism()),
    // The groups run one after the other, so that they do not slow each other down.
    projects: [
      {
        extends: true,
        test: {
          ...UNIT,
          name: 'unit',
          ...NATIVE,
          isolate: false,
          include: [SHARED],
          exclude: NOT_UNIT,
        },
      },
      {
        extends: true,
        test: {
          ...UNIT,
          name: 'unit-pages',
          execArgv: COLLECT_RARELY,
          isolate: false,
          include: [PAGES],
          exclude: NOT_UNIT,
        },
      },
      {
        extends: true,
        test: {
          ...UNIT,
          name: 'unit-tracker',
          pool: 'threads',
          include: [TRACKER],
          exclude: NOT_UNIT,
        },
      },
      {
        extends: true,
        test: {
          ...UNIT,
          name: 'unit-apart',
          ...NATIVE,
          ...MOCKING,
          include: ['**/*.test.ts'],
          exclude: [...NOT_UNIT, SHARED, PAGES, TRACKER],
        },
      },
      {
        extends: true,
        test: {
          ...UNIT,
          ...NATIVE,
          name: 'hygiene',
          isolate: false,
          include: HYGIENE,
          exclude: ['**/*.e2e.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...INT,
          name: 'int',
          isolate: false,
          include: ['**/*.int.test.ts'],
          exclude: [...NOT_INT, MOCKING_INT, MEASURING_INT, POOLED_ONLY, ...(usesCitus ? SINGLE_SERVER : [])],
        },
      },
      {
        extends: true,
        test: {
          ...POOLED,
          name: 'int-pooled',
          isolate: false,
          include: isLong ? ['packages/core/**/*.int.test.ts'] : [POOLED_ONLY],
          exclude: [...NOT_INT, MOCKING_INT],
        },
      },
      {
        extends: true,
        test: {
          ...INT,
          ...MOCKING,
          name: 'int-apart',
          include: [MOCKING_INT, MEASURING_INT],
          exclude: NOT_INT,
        },
      },
      {
        extends: true,
        test: {
          ...E2E,
          name: 'e2e',
          // Files share loaded modules, such as the server and the driver of the browser.
          isolate: false,
          include: ['**/*.e2e.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            '**/dist/**',
            ...UNSUPPORTED,
            LONG_ONLY,
            ...NOT_SHORT,
            ...SERIAL,
          ],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          ...ON_DISK,
          name: 'e2e-serial',
          isolate: false,
          include: SERIAL,
          exclude: [...configDefaults.exclude, '**/dist/**', ...UNSUPPORTED],
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      { extends: true, test: inEngine('firefox') },
      ...(usesCitus
        ? [
            {
              extends: true as const,
              test: {
                ...E2E,
                name: 'citus',
                include: [CITUS],
                exclude: [...configDefaults.exclude, '**/dist/**'],
                fileParallelism: false,
                sequence: { groupOrder: 3 },
              },
            },
          ]
        : []),
      // WebKitGTK runs only on Linux.
      ...(process.platform === 'linux' ? [{ extends: true as const, test: inEngine('webkit') }] : []),
      {
        extends: true,
        test: {
          ...E2E,
          name: 'attack',
          isolate: false,
          include: [ATTACK],
          exclude: [...configDefaults.exclude, '**/dist/**', ...UNSUPPORTED],
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
