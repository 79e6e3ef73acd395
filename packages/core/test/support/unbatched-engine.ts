import { createHash } from 'node:crypto';
import { trackSaleRequest } from '@affkit/protocol';
import type { Runtime } from '../../src/runtime.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { Lane } from '../../src/storage/database/engine/lane.ts';
import { Connector, connectionConfig } from '../../src/storage/database/engine/postgres-connector.ts';
import { CounterSlot } from '../../src/storage/database/engine/postgres-counter-slot.ts';
import { PostgresWriter } from '../../src/storage/database/engine/postgres-writer.ts';
import { ReconnectPolicy } from '../../src/storage/database/engine/reconnect-policy.ts';
import { StatementNames } from '../../src/storage/database/engine/statement-names.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { findProgramByTokenHash } from '../../src/storage/programs/programs.ts';
import { PostgresClickStore } from '../../src/storage/tracking/clicks-postgres.ts';
import { recordSale } from '../../src/tracking/record-sales.ts';
import type { SaleOutcome } from '../../src/tracking/sale.ts';

const CONNECTIONS = 10;
const MAX_QUEUED_WRITES = 20_000;

/**
 * Opens a Postgres engine without group commit. Each write runs in a separate database transaction, on the
 * least busy of ten connections.
 */
export function unbatchedEngine(connectionString: string): Engine {
  const engine = postgresEngine({ connectionString });
  const statements = new StatementNames('session');
  const slot = new CounterSlot();
  const config = connectionConfig(connectionString);
  const pool = Array.from({ length: CONNECTIONS }, () => {
    const reconnectPolicy = new ReconnectPolicy(5_000);
    const writer = new PostgresWriter({
      createClickStore: (session) => new PostgresClickStore(session),
      connector: new Connector({ config, pipelining: false, pooler: 'session', slot, reconnectPolicy }),
      statements,
      slot,
      pooler: 'session',
      storesCommitMarkers: true,
      commitOutcomeTimeoutMs: 60_000,
    });
    return { lane: new Lane(writer, { maxBatchSize: 1, maxQueueSize: MAX_QUEUED_WRITES }), pending: 0 };
  });
  return {
    ...engine,
    write: async (_lane, work) => {
      const leastBusy = pool.reduce((best, one) => (one.pending < best.pending ? one : best));
      leastBusy.pending += 1;
      try {
        return await leastBusy.lane.write(work);
      } finally {
        leastBusy.pending -= 1;
      }
    },
    close: async () => {
      await Promise.all(pool.map(({ lane }) => lane.close()));
      await engine.close();
    },
  };
}

/**
 * Records a single sale in its own database transaction, with the same code that records batches.
 * @throws when no program has the token or when the body is invalid
 */
export async function recordSaleUnbatched(
  runtime: Runtime,
  token: string,
  body: unknown,
): Promise<SaleOutcome> {
  const hash = createHash('sha256').update(token).digest('hex');
  const program = await findProgramByTokenHash(runtime.engine.read, hash);
  if (!program) throw new Error('No program has this tracking token');
  const sale = trackSaleRequest.parse(body);
  return await runtime.engine.write(program.workspaceId, (tx) => recordSale(tx, runtime, program, sale));
}
