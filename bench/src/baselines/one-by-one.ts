import { createAffkit, type Engine } from '@affkit/core';
import { expressAdapter } from '@affkit/core/express';
import { postgresEngine } from '@affkit/core/postgres';
import express from 'express';
import { Lane } from '../../../packages/core/src/storage/engine/lane.ts';
import { Patience } from '../../../packages/core/src/storage/engine/patience.ts';
import { Connector, connectionConfig } from '../../../packages/core/src/storage/engine/postgres-connector.ts';
import { StatementNames } from '../../../packages/core/src/storage/engine/postgres-dialect.ts';
import { Slot } from '../../../packages/core/src/storage/engine/postgres-slot.ts';
import { PostgresWriter } from '../../../packages/core/src/storage/engine/postgres-writer.ts';
import { announce } from './answer.ts';

const CONNECTIONS = 10;

/** The same service with the same statements, but for its commits: each write has a transaction of its own. */
const connectionString = process.env['DATABASE_URL'] ?? '';
const affkit = createAffkit({
  engine: oneByOne(postgresEngine({ connectionString })),
  secret: process.env['AFFKIT_SECRET'] ?? '',
});
await affkit.migrate();
await affkit.ensureFirstOwner({
  email: process.env['ADMIN_EMAIL'] ?? '',
  password: process.env['ADMIN_PASSWORD'],
});
const app = express();
app.use(expressAdapter(affkit));
announce(app.listen(0, '127.0.0.1'));

function oneByOne(engine: Engine): Engine {
  const statements = new StatementNames();
  const slot = new Slot();
  const config = connectionConfig(connectionString);
  const pool = Array.from({ length: CONNECTIONS }, () => {
    const connector = new Connector({ config, pipelines: false, slot, patience: new Patience(5_000) });
    const writer = new PostgresWriter({ connector, statements, slot, marksCommits: true, doubtMs: 60_000 });
    return { lane: new Lane(writer, { maxWorks: 1, maxQueue: 20_000 }), waiting: 0 };
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
  };
}
