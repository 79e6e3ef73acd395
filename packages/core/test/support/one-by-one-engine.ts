import { createHash } from 'node:crypto';
import { trackSaleRequest } from '@affkit/protocol';
import type { Runtime } from '../../src/runtime.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { Lane } from '../../src/storage/database/engine/lane.ts';
import { Connector, connectionConfig } from '../../src/storage/database/engine/postgres-connector.ts';
import { StatementNames } from '../../src/storage/database/engine/postgres-dialect.ts';
import { Slot } from '../../src/storage/database/engine/postgres-slot.ts';
import { PostgresWriter } from '../../src/storage/database/engine/postgres-writer.ts';
import { ReconnectPolicy } from '../../src/storage/database/engine/reconnect-policy.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { findProgramByTokenHash } from '../../src/storage/programs/programs.ts';
import { PostgresClickStore } from '../../src/storage/tracking/clicks-postgres.ts';
import { recordSale } from '../../src/tracking/record-sales.ts';
import type { SaleOutcome } from '../../src/tracking/sale.ts';

const CONNECTIONS = 10;
const MAX_QUEUE = 20_000;

/** Postgres without group commit: each write has a transaction of its own, on the first free of ten connections. */
export function oneByOneEngine(connectionString: string): Engine {
  const engine = postgresEngine({ connectionString });
  const statements = new StatementNames();
  const slot = new Slot();
  const config = connectionConfig(connectionString);
  const pool = Array.from({ length: CONNECTIONS }, () => {
    const connector = new Connector({ config, pipelines: false, slot, patience: new ReconnectPolicy(5_000) });
    const writer = new PostgresWriter({
      createClickStore: (session) => new PostgresClickStore(session),
      connector,
      statements,
      slot,
      marksCommits: true,
      commitOutcomeTimeoutMs: 60_000,
    });
    return { lane: new Lane(writer, { maxWorks: 1, maxQueue: MAX_QUEUE }), waiting: 0 };
  });
  return {
    ...engine,
    write: async (_lane, work) => {
      const free = pool.reduce((best, one) => (one.waiting < best.waiting ? one : best));
      free.waiting += 1;
      try {
        return await free.lane.write(work);
      } finally {
        free.waiting -= 1;
      }
    },
    close: async () => {
      await Promise.all(pool.map(({ lane }) => lane.close()));
      await engine.close();
    },
  };
}

/** Records a sale by itself, as it is recorded in a batch. @throws when the token or the body is refused */
export async function sellAlone(runtime: Runtime, token: string, body: unknown): Promise<SaleOutcome> {
  const hash = createHash('sha256').update(token).digest('hex');
  const program = await findProgramByTokenHash(runtime.engine.read, hash);
  if (!program) throw new Error('No program has the token');
  const sale = trackSaleRequest.parse(body);
  return await runtime.engine.write(program.workspaceId, (tx) => recordSale(tx, runtime, program, sale));
}
