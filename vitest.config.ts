import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { programVariables } from './scripts/programs.ts';

// Workspace packages resolve to their sources; the rest are Vite's own conditions for each environment.
const clientConditions = ['@affkit/source', 'module', 'browser', 'development|production'];
const serverConditions = ['@affkit/source', 'module', 'node', 'development|production'];

const postgres = './packages/core/test/support/postgres-setup.ts';

/**
 * Tests that use modules in turns, for none keeps anything: to load them anew for each file takes as long as to run the
 * tests. The two replace modules for themselves.
 */
const SHARED = 'packages/{core,protocol,server}/**/!(login-burst|password).test.ts';
const NOT_UNIT = [...configDefaults.exclude, '**/dist/**', '**/*.{int,e2e}.test.ts'];
/** They trace system calls, for which other systems have nothing that a test may use. A skipped test would count as failed. */
const LINUX_ALONE = [
  'packages/core/test/durability/sqlite-fsync.e2e.test.ts',
  'packages/server/test/{disk,full-postgres}.e2e.test.ts',
];
const NOT_HERE = process.platform === 'linux' ? [] : LINUX_ALONE;
/** A bound for what hangs, not for what is slow on a busy machine. */
const UNIT = { testTimeout: 30_000, sequence: { groupOrder: 0 } };

/** Servers that are killed under load, and disks that fail or fill up: each needs the machine for itself. */
const SERIAL = [
  'packages/core/test/durability/*.e2e.test.ts',
  'packages/server/test/{disk,faults,full-postgres,processes,workers}.e2e.test.ts',
];
const E2E = {
  globalSetup: ['./scripts/build-setup.ts', postgres],
  // Processes that the tests start load what an earlier one has compiled.
  env: { ...programVariables(), NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  resolve: { conditions: clientConditions },
  ssr: { resolve: { conditions: serverConditions } },
  test: {
    allowOnly: false,
    maxWorkers: Math.min(4, availableParallelism()),
    // One kind after the other, so that the kinds do not slow each other down.
    projects: [
      {
        extends: true,
        test: { ...UNIT, name: 'unit', isolate: false, include: [SHARED], exclude: NOT_UNIT },
      },
      {
        extends: true,
        test: { ...UNIT, name: 'unit-apart', include: ['**/*.test.ts'], exclude: [...NOT_UNIT, SHARED] },
      },
      {
        extends: true,
        test: {
          name: 'int',
          include: ['**/*.int.test.ts'],
          exclude: [...configDefaults.exclude, '**/dist/**'],
          globalSetup: postgres,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...E2E,
          name: 'e2e',
          include: ['**/*.e2e.test.ts'],
          exclude: [...configDefaults.exclude, '**/dist/**', ...NOT_HERE, ...SERIAL],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          ...E2E,
          name: 'e2e-serial',
          include: SERIAL,
          exclude: [...configDefaults.exclude, '**/dist/**', ...NOT_HERE],
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
