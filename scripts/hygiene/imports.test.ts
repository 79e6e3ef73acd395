import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { beforeAll, describe, expect, test } from 'vitest';
import config from '../../dependency-cruiser.config.ts';

const value = (specifier: string) => `import { thing } from '${specifier}';`;
const type = (specifier: string) => `import type { thing } from '${specifier}';`;

/** A file, its source, and the rule that the source breaks; `null` if the source breaks no rule. */
type Case = readonly [path: string, source: string, rule: string | null];

const CASES: readonly Case[] = [
  ['packages/tracker/src/a1.ts', type('@affkit/protocol'), null],
  ['packages/tracker/src/a2.ts', value('@affkit/protocol'), 'package-tracker-values'],
  ['packages/tracker/src/a3.ts', value('node:fs'), 'runs-without-node'],
  ['packages/protocol/src/a1.ts', value('node:crypto'), 'runs-without-node'],
  ['packages/protocol/src/a2.ts', type('@affkit/core'), 'package-protocol-types'],
  ['packages/node/src/a1.ts', type('@affkit/protocol'), null],
  ['packages/node/src/a2.ts', value('@affkit/protocol'), 'package-node-values'],
  ['packages/node/src/a3.ts', type('@affkit/core'), 'package-node-types'],
  ['packages/node/src/a4.ts', value('undici'), null],
  ['packages/node/src/a5.ts', value('msw'), 'runtime-dependency'],
  ['packages/node/src/a6.ts', value('../test/stub.ts'), 'ships-no-test'],
  ['packages/node/src/a7.ts', value('./stub.test.ts'), 'ships-no-test'],
  ['packages/node/src/a8.test.ts', value('@affkit/protocol'), null],
  ['packages/node/src/a9.test.ts', value('../../core/src/index.ts'), 'package-by-name'],
  ['packages/server/src/a1.ts', value('@affkit/core/sqlite'), null],
  ['packages/server/src/a2.ts', value('@affkit/node'), 'package-server-values'],
  ['packages/server/src/a3.ts', value('../../core/src/index.ts'), 'package-by-name'],
  ['packages/server/src/a4.e2e.test.ts', value('../../core/test/stub.ts'), null],
  ['packages/server/src/a5.ts', value('../../core/test/stub.ts'), 'ships-no-test'],
  ['packages/testing/src/a1.ts', value('@affkit/core'), null],
  ['packages/testing/src/a2.ts', value('@affkit/server'), 'package-testing-values'],
  ['packages/extra/src/a1.ts', value('@affkit/core'), 'unknown-package'],
  ['packages/core/src/domain/a1.ts', value('@affkit/protocol'), null],
  ['packages/core/src/domain/a2.ts', value('tldts'), null],
  ['packages/core/src/domain/a3.ts', value('../rejection.ts'), null],
  ['packages/core/src/domain/a4.ts', value('node:zlib'), null],
  ['packages/core/src/domain/a5.ts', value('node:fs'), 'domain-is-pure'],
  ['packages/core/src/domain/a6.ts', type('kysely'), 'domain-is-pure'],
  ['packages/core/src/domain/a7.ts', type('../storage/database/schema.ts'), 'core-domain-types'],
  ['packages/core/src/domain/a8.ts', type('../runtime.ts'), 'core-domain-types'],
  ['packages/core/src/domain/a9.ts', type('../index.ts'), 'core-domain-types'],
  ['packages/core/src/rejection.ts', type('./storage/database/schema.ts'), 'core-rejection-types'],
  ['packages/core/src/runtime.ts', value('./storage/database/schema.ts'), 'core-runtime-values'],
  ['packages/core/src/storage/tracking/a1.ts', value('../../domain/stub.ts'), null],
  ['packages/core/src/storage/tracking/a2.ts', value('kysely'), null],
  ['packages/core/src/storage/tracking/a3.ts', value('pg'), 'pg-values'],
  ['packages/core/src/storage/tracking/a4.ts', type('pg'), null],
  ['packages/core/src/storage/tracking/a5.ts', value('../../tracking/stub.ts'), 'core-storage-values'],
  ['packages/core/src/storage/tracking/a6.ts', value('../money/stub.ts'), 'storage-tracking-values'],
  ['packages/core/src/storage/money/a1.ts', value('../tracking/stub.ts'), null],
  [
    'packages/core/src/storage/database/engine/a1.ts',
    type('../../tracking/stub.ts'),
    'storage-database-types',
  ],
  ['packages/core/src/storage/database/engine/postgres-engine.ts', value('pg'), null],
  ['packages/core/src/storage/database/engine/sqlite-engine.ts', value('better-sqlite3'), null],
  ['packages/core/src/storage/a1.ts', value('./tracking/stub.ts'), null],
  ['packages/core/src/storage/misc/a1.ts', value('../database/schema.ts'), 'unknown-storage-folder'],
  ['packages/core/src/a1.ts', value('better-sqlite3'), 'better-sqlite3-values'],
  ['packages/core/src/a2.ts', value('@node-rs/argon2'), 'runtime-dependency'],
  ['packages/core/src/a3.ts', value('./storage/database/schema.ts'), null],
  ['packages/core/src/tracking/a1.ts', type('../runtime.ts'), null],
  ['packages/core/src/tracking/a2.ts', value('../storage/money/stub.ts'), null],
  ['packages/core/src/tracking/a3.ts', value('../reporting/stub.ts'), 'core-tracking-values'],
  ['packages/core/src/tracking/a4.ts', type('../index.ts'), 'core-tracking-types'],
  ['packages/core/src/reporting/a1.ts', type('kysely'), 'kysely-types'],
  ['packages/core/src/access/a1.ts', type('../http/stub.ts'), 'core-access-types'],
  ['packages/core/src/management/a1.ts', value('../http/stub.ts'), 'core-management-values'],
  ['packages/core/src/jobs/a1.ts', value('../http/stub.ts'), 'core-jobs-values'],
  ['packages/core/src/http/a1.ts', value('../tracking/stub.ts'), null],
  ['packages/core/src/http/a2.ts', value('../adapters/stub.ts'), 'core-http-values'],
  ['packages/core/src/http/a3.ts', value('../storage/sqlite.ts'), 'http-opens-no-engine'],
  ['packages/core/src/adapters/a1.ts', value('../http/stub.ts'), null],
  ['packages/core/src/adapters/a2.ts', value('express'), 'runtime-dependency'],
  ['packages/core/src/helpers/a1.ts', value('../domain/stub.ts'), 'unknown-core-folder'],
  ['packages/core/src/reporting/circle-a.ts', value('./circle-b.ts'), 'no-circle'],
];

const STUBS = [
  'rejection.ts',
  'runtime.ts',
  'index.ts',
  ...['domain', 'tracking', 'reporting', 'http', 'adapters'].map((layer) => `${layer}/stub.ts`),
  ...['database/schema.ts', 'tracking/stub.ts', 'money/stub.ts', 'sqlite.ts'].map(
    (path) => `storage/${path}`,
  ),
].map((path) => `packages/core/src/${path}`);

const DEPENDENCIES: Readonly<Record<string, object>> = {
  protocol: {},
  tracker: {},
  node: { peerDependencies: { undici: '1' }, devDependencies: { msw: '1' } },
  core: { dependencies: { kysely: '1', tldts: '1' }, peerDependencies: { pg: '1', 'better-sqlite3': '1' } },
  server: {},
  testing: {},
  extra: {},
};
const MODULES = ['kysely', 'tldts', 'pg', 'better-sqlite3', 'undici', 'msw', 'express', '@node-rs/argon2'];

/** Broken rules by the path of the file that breaks them. */
let broken: Map<string, string[]>;

beforeAll(async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'affkit-dependencies-')));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const stub = 'export const thing = 1;\nexport type thing = 1;\n';
  write('package.json', '{}');
  write('tsconfig.json', '{"compilerOptions":{"module":"nodenext"}}');
  for (const [name, dependencies] of Object.entries(DEPENDENCIES)) {
    const affkit = Object.keys(DEPENDENCIES).map((other) => [`@affkit/${other}`, '1']);
    const own = 'dependencies' in dependencies ? Object(dependencies.dependencies) : {};
    const all = { ...dependencies, dependencies: { ...own, ...Object.fromEntries(affkit) } };
    const exports = { '.': './src/index.ts', './sqlite': './src/storage/sqlite.ts' };
    write(`packages/${name}/package.json`, JSON.stringify({ name: `@affkit/${name}`, exports, ...all }));
    for (const path of ['src/index.ts', 'src/stub.test.ts', 'test/stub.ts'])
      write(`packages/${name}/${path}`, stub);
    mkdirSync(join(root, 'node_modules/@affkit'), { recursive: true });
    symlinkSync(join(root, 'packages', name), join(root, 'node_modules/@affkit', name), 'junction');
  }
  for (const name of MODULES) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    write(`node_modules/${name}/index.js`, 'exports.thing = 1;\n');
  }
  for (const path of STUBS) write(path, stub);
  write(
    'packages/core/src/reporting/circle-b.ts',
    "import { own } from './circle-a.ts';\nexport const thing = own;\n",
  );
  // The source uses the imported name, because an unused import would be ignored.
  for (const [path, source] of CASES)
    write(
      path,
      `${source}\n${source.includes('import type') ? 'export type own = thing;' : 'export const own = thing;'}\n`,
    );
  const { options, ...rules } = config;
  const { output } = await cruise(['packages'], {
    ...options,
    baseDir: root,
    validate: true,
    ruleSet: rules,
  });
  const { summary } = output as ICruiseResult;
  broken = new Map(
    [...Map.groupBy(summary.violations, ({ from }) => from)].map(([from, all]) => [
      from,
      all.map(({ rule }) => rule.name),
    ]),
  );
  return () => rmSync(root, { recursive: true });
});

describe('the dependency rules', () => {
  test.each(CASES.filter(([, , rule]) => rule === null))('%s may contain: %s', (path) => {
    expect(broken.get(path) ?? []).toEqual([]);
  });

  test.each(CASES.filter(([, , rule]) => rule !== null))('%s must not contain: %s', (path, _source, rule) => {
    expect(broken.get(path)).toContain(rule);
  });
});
