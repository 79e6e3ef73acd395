import type { PostgresServer } from '../../../packages/core/test/support/postgres-server.ts';

/** The environment of a suite. */
export interface Context {
  /** A temporary folder, removed after the run. */
  readonly folder: string;
  /** A folder for databases that the next run uses again. It also contains the data of `postgres`. */
  readonly keptFolder?: string | undefined;
  readonly postgres: PostgresServer;
  /** Factor for the number of requests: 1 for published results, less for trial runs. */
  readonly scale: number;
  /** Maximum number of events per database in the suite `dashboard`. */
  readonly events: number;
  /** Other scripts that the suite `tracker` measures, each with its name: `Dub 1.2=script.js`. */
  readonly peers: readonly string[];
}

/** Scales an amount, to at least 1. */
export function scaled(amount: number, { scale }: Pick<Context, 'scale'>): number {
  return Math.max(1, Math.round(amount * scale));
}
