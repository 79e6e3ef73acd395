import { existsSync, globSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KnipConfig } from 'knip';

/** A package without sources is not checked, because everything in it would seem unused. */
const withoutSources = globSync('packages/*/package.json')
  .map((manifest) => dirname(manifest))
  .filter((folder) => !existsSync(`${folder}/src`));

const config: KnipConfig = {
  ignoreWorkspaces: withoutSources,
  // A catalog entry that no package uses yet is printed, but does not fail the check.
  rules: { catalog: 'warn' },
  workspaces: {
    '.': {
      entry: ['scripts/tasks.ts', 'scripts/stop-with-parent.ts', 'deploy/citus/main.ts'],
      project: ['scripts/**', 'deploy/**', '*.config.ts'],
      // scripts/tasks.ts runs Biome by its name. tsconfig.json names Preact as the JSX runtime of packages/dashboard.
      ignoreDependencies: ['@biomejs/biome', 'preact'],
      ignoreBinaries: ['chrt', 'unshare'],
    },
    'packages/tracker': { entry: ['scripts/mutation-test.ts'] },
    // Tests run these files by path, in separate processes.
    'packages/core': { entry: ['test/durability/*-process.ts'] },
    'packages/server': { entry: ['src/{cli,main}.ts', 'scripts/bundle.ts', 'test/chaos/sender-process.ts'] },
    'packages/node': {
      entry: [
        'test/spool-process.ts',
        'test/burst-process.ts',
        'test/runtimes/{main,node-program,worker}.mjs',
      ],
      ignoreBinaries: ['mount', 'umount'],
      ignoreDependencies: ['deno'],
    },
    // These files run as programs.
    bench: {
      entry: [
        'src/main.ts',
        'src/baselines/{express,node-http,one-by-one}.ts',
        'src/cost/main.ts',
        'src/sdk/{server,calls,memory,relay}.ts',
      ],
    },
    'examples/backend': { entry: ['src/worker.ts', 'src/app/**/route.ts'] },
    // `src/config.ts` is imported by its URL.
    site: { entry: ['src/config.ts'], project: ['.vitepress/{*,theme/*}.ts', 'src/**', 'test/**'] },
    // The tests copy `apps` into temporary projects, and link these packages into them.
    'examples/frameworks': {
      project: ['test/**'],
      ignoreDependencies: ['@fastify/cookie', 'fastify', 'typescript-native'],
    },
    // Pages refer to their scripts by URL.
    'examples/shop': { entry: ['src/{main,start}.ts', 'public/*.js'] },
  },
};

export default config;
