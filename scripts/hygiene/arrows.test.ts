import { describe, expect, test } from 'vitest';
import { findArrowProblems } from './arrows.ts';
import { readImports } from './imports.ts';

const runtimeDependencies = {
  protocol: ['zod'],
  tracker: [],
  node: ['undici'],
  core: ['@affkit/protocol', 'kysely', 'zod', 'tldts', 'pg', 'better-sqlite3'],
  server: ['@affkit/core', '@affkit/protocol', '@affkit/tracker', 'express'],
  testing: ['@affkit/core', '@affkit/protocol'],
};

const problemsOf = (path: string, source: string) =>
  findArrowProblems([{ path, imports: readImports(path, source) }], runtimeDependencies);

const value = (specifier: string) => `import { thing } from '${specifier}';`;
const type = (specifier: string) => `import type { Thing } from '${specifier}';`;

describe('between packages', () => {
  test.each([
    ['packages/tracker/src/index.ts', type('@affkit/protocol')],
    ['packages/node/src/client.ts', type('@affkit/protocol')],
    ['packages/node/src/client.ts', value('node:crypto')],
    ['packages/node/src/undici.ts', value('undici')],
    ['packages/core/src/http/tracking.ts', value('@affkit/protocol')],
    ['bench/src/main.ts', value('../../packages/core/test/postgres-server.ts')],
    ['packages/server/src/a.e2e.test.ts', value('../../core/test/postgres-server.ts')],
    ['packages/server/src/main.ts', value('@affkit/core/sqlite')],
    ['packages/server/src/main.ts', "const file = import.meta.resolve('@affkit/tracker/script');"],
    ['packages/testing/src/index.ts', value('@affkit/core')],
    ['packages/node/src/client.test.ts', value('@affkit/protocol')],
    ['packages/node/src/version.ts', value('../package.json')],
    ['packages/node/test/chain.e2e.test.ts', value('@affkit/core')],
    ['examples/shop/src/start.ts', value('@affkit/node')],
  ])('%s may hold: %s', (path, source) => {
    expect(problemsOf(path, source)).toEqual([]);
  });

  test.each([
    ['packages/tracker/src/index.ts', value('@affkit/protocol'), 'tracker may import only types of protocol'],
    ['packages/node/src/client.ts', value('@affkit/protocol'), 'node may import only types of protocol'],
    ['packages/node/src/client.ts', type('@affkit/core'), 'node may not import core'],
    ['packages/protocol/src/index.ts', type('@affkit/core'), 'protocol may not import core'],
    ['packages/core/src/index.ts', value('@affkit/server'), 'core may not import server'],
    ['packages/core/src/index.ts', value('@affkit/core'), 'core may not import core'],
    ['packages/server/src/main.ts', value('@affkit/node'), 'server may not import node'],
    ['packages/testing/src/index.ts', value('@affkit/server'), 'testing may not import server'],
    ['packages/extra/src/index.ts', value('@affkit/core'), 'extra is no package of the architecture'],
    ['packages/tracker/src/index.ts', value('node:fs'), "tracker runs without Node's modules"],
    ['packages/protocol/src/index.ts', value('node:crypto'), "protocol runs without Node's modules"],
    ['packages/node/src/client.ts', value('msw'), 'msw is no run-time dependency of node'],
    [
      'packages/core/src/index.ts',
      value('@node-rs/argon2'),
      '@node-rs/argon2 is no run-time dependency of core',
    ],
    [
      'packages/server/src/main.ts',
      value('../../core/src/index.ts'),
      'another package is imported by its name',
    ],
    [
      'packages/node/src/a.test.ts',
      value('../../core/src/index.ts'),
      'another package is imported by its name',
    ],
    [
      'packages/server/src/main.ts',
      value('../../core/test/postgres-server.ts'),
      'another package is imported by its name',
    ],
    [
      'examples/shop/src/start.ts',
      value('../../../packages/core/src/index.ts'),
      'another package is imported by its name',
    ],
    ['packages/node/src/client.ts', value('../test/fixtures.ts'), 'what ships imports nothing outside src'],
    ['packages/node/src/client.ts', value('./client.test.ts'), 'what ships imports no test'],
  ])('%s may not hold: %s', (path, source, reason) => {
    expect(problemsOf(path, source)).toEqual([
      expect.stringMatching(new RegExp(`^${path} imports .*: ${reason}$`)),
    ]);
  });
});

describe('inside core', () => {
  test.each([
    ['domain/attribution.ts', value('./window.ts')],
    ['domain/attribution.ts', value('@affkit/protocol')],
    ['domain/origin.ts', value('tldts')],
    ['storage/tracking/clicks-sqlite.ts', value('../../domain/money.ts')],
    ['storage/tracking/clicks-sqlite.ts', value('kysely')],
    ['storage/database/engine/postgres.ts', value('pg')],
    ['storage/database/engine/sqlite/open.ts', value('better-sqlite3')],
    ['storage/database/engine/lane.ts', type('pg')],
    ['storage/money/ledger.ts', value('../tracking/counters.ts')],
    ['storage/sqlite.ts', value('./tracking/clicks-sqlite.ts')],
    ['domain/sale.ts', value('../rejection.ts')],
    ['domain/token.ts', value('node:zlib')],
    ['runtime.ts', type('./storage/database/engine/engine.ts')],
    ['tracking/track-sale.ts', value('../storage/sales.ts')],
    ['tracking/track-sale.ts', type('../runtime.ts')],
    ['http/route.ts', type('../storage/programs.ts')],
    ['http/links.ts', value('../storage/links.ts')],
    ['tracking/track-sale.ts', value('../domain/commission.ts')],
    ['http/tracking.ts', value('../tracking/track-sale.ts')],
    ['adapters/express.ts', value('../http/handle.ts')],
    ['adapters/express.ts', type('express')],
    ['adapters/express.ts', type('../index.ts')],
    ['index.ts', value('./storage/database/engine/lane.ts')],
    ['tracking/track-sale.test.ts', value('../storage/database/engine/sqlite.ts')],
  ])('%s may hold: %s', (file, source) => {
    expect(problemsOf(`packages/core/src/${file}`, source)).toEqual([]);
  });

  test.each([
    ['domain/attribution.ts', type('../storage/schema.ts'), 'domain may not import storage'],
    ['domain/attribution.ts', type('../http/routes.ts'), 'domain may not import http'],
    ['domain/attribution.ts', type('../index.ts'), 'domain may not import root'],
    ['domain/attribution.ts', value('node:fs'), 'domain is pure'],
    ['domain/attribution.ts', type('kysely'), 'domain is pure'],
    [
      'storage/tracking/clicks-sqlite.ts',
      value('../../tracking/track-click.ts'),
      'storage may not import tracking',
    ],
    [
      'storage/database/engine/engine.ts',
      type('../../tracking/clicks.ts'),
      'storage/database may not import storage/tracking',
    ],
    [
      'storage/tracking/sales.ts',
      value('../money/ledger.ts'),
      'storage/tracking may not import storage/money',
    ],
    [
      'storage/misc/a.ts',
      value('../database/rows.ts'),
      'core/src/storage/misc is not a group of the architecture',
    ],
    ['domain/attribution.ts', type('../runtime.ts'), 'domain may not import runtime'],
    ['rejection.ts', type('./storage/schema.ts'), 'rejection may not import storage'],
    ['runtime.ts', value('./storage/database/engine/engine.ts'), 'runtime may import only types of storage'],
    ['tracking/track-sale.ts', value('../reporting/totals.ts'), 'tracking may not import reporting'],
    ['tracking/track-sale.ts', type('../index.ts'), 'tracking may not import root'],
    ['access/resolve.ts', type('../http/route.ts'), 'access may not import http'],
    ['management/links.ts', value('../http/replies.ts'), 'management may not import http'],
    ['reporting/events.ts', type('kysely'), 'in core kysely is known to storage/ alone'],
    ['storage/sales.ts', value('pg'), 'in core pg is known to storage/database/engine/postgres alone'],
    [
      'index.ts',
      value('better-sqlite3'),
      'in core better-sqlite3 is known to storage/database/engine/sqlite alone',
    ],
    ['tracking/track-sale.ts', type('../http/replies.ts'), 'tracking may not import http'],
    ['jobs/repair.ts', value('../http/replies.ts'), 'jobs may not import http'],
    ['http/tracking.ts', value('../adapters/fetch.ts'), 'http may not import adapters'],
    [
      'http/handle.ts',
      value('../storage/database/engine/sqlite.ts'),
      'http may import only types of storage/database/engine',
    ],
    ['adapters/express.ts', value('express'), 'express is no run-time dependency of core'],
    ['helpers/misc.ts', value('../domain/money.ts'), 'core/src/helpers is no layer of the architecture'],
  ])('%s may not hold: %s', (file, source, reason) => {
    const path = `packages/core/src/${file}`;
    expect(problemsOf(path, source)).toEqual([
      expect.stringMatching(new RegExp(`^${path} imports .*: ${reason}$`)),
    ]);
  });
});
