import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import {
  type DatabaseHealth,
  readDatabaseHealth,
  readTableSizes,
  type TableSize,
} from '../storage/database/health.ts';
import { listAllPrograms } from '../storage/programs/programs.ts';
import { type Backlog, type DeadLetters, readBacklog, readDeadLetters } from '../storage/reads/backlog.ts';
import { findProgramHealth, type ProgramHealth } from '../storage/reads/program-health.ts';

/** The state of the whole service, for its operator. */
export interface ServiceStatus {
  readonly database: Pick<DatabaseHealth, 'dialect' | 'version' | 'migrations'>;
  /** Null if the database has pending migrations. */
  readonly data: {
    readonly tables: readonly TableSize[];
    readonly backlog: Backlog;
    readonly deadLetters: DeadLetters;
    readonly programs: readonly (Pick<
      ProgramHealth,
      'lastAt' | 'recent' | 'approvedPartners' | 'pendingCommissions'
    > & {
      readonly id: number;
      readonly name: string;
    })[];
  } | null;
}

/** Reads the state of the service. It changes nothing. */
export async function readServiceStatus({
  engine,
  now,
}: Pick<Runtime, 'engine' | 'now'>): Promise<ServiceStatus> {
  const { dialect, version, migrations } = await readDatabaseHealth({ engine });
  const database = { dialect, version, migrations };
  if (migrations.pending.length > 0) return { database, data: null };
  const { read } = engine;
  const programs = [];
  for (const { id, name } of await listAllPrograms(read)) {
    const { lastAt, recent, approvedPartners, pendingCommissions } = await findProgramHealth(
      read,
      id,
      now() - DAY_MS,
    );
    programs.push({ id, name, lastAt, recent, approvedPartners, pendingCommissions });
  }
  return {
    database,
    data: {
      tables: await readTableSizes(engine),
      backlog: await readBacklog(read, now()),
      deadLetters: await readDeadLetters(read),
      programs,
    },
  };
}
