import { existsSync, globSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KnipConfig } from 'knip';

/** A package is checked as soon as it has sources: before, all it holds would seem unused. */
const withoutSources = globSync('packages/*/package.json')
  .map((manifest) => dirname(manifest))
  .filter((folder) => !existsSync(`${folder}/src`));

const config: KnipConfig = {
  ignoreWorkspaces: withoutSources,
  // An entry that no package uses yet is worth a line, not a failure.
  rules: { catalog: 'warn' },
  workspaces: {
    '.': {
      entry: ['scripts/run.mjs', 'scripts/tasks.ts', 'scripts/stop-with-parent.ts'],
      project: ['scripts/**', '*.config.ts'],
      // Run by its name in scripts/tasks.ts. tsconfig.json names the JSX of packages/dashboard.
      ignoreDependencies: ['@biomejs/biome', 'preact'],
    },
    'packages/tracker': { entry: ['scripts/mutation-test.ts'] },
    // Run by a test in a process of its own; found by its path.
    'packages/core': { entry: ['test/durability/*-process.ts'] },
    'packages/node': {
      entry: ['test/spool-process.ts', 'test/burst-process.ts', 'test/runtime-program.mjs'],
      ignoreBinaries: ['mount', 'umount'],
      ignoreDependencies: ['deno'],
    },
    // Run as a program; Postgres comes with the tools of core's tests.
    bench: {
      entry: [
        'src/main.ts',
        'src/baselines/{express,node-http,one-by-one}.ts',
        'src/sdk/{server,calls,memory}.ts',
      ],
    },
    // Pages name their scripts by address.
    'examples/backend': { entry: ['src/worker.ts', 'src/app/**/route.ts'] },
    // The tests copy `apps` into temporary projects, and link these packages into them.
    'examples/frameworks': {
      project: ['test/**'],
      ignoreDependencies: ['@fastify/cookie', 'fastify', 'typescript-native'],
    },
    'examples/shop': { entry: ['src/{main,start}.ts', 'public/*.js'] },
  },
};

export default config;
