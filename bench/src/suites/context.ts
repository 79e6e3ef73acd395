import type { PostgresServer } from '../../../packages/core/test/support/postgres-server.ts';

/** What a suite works with. */
export interface Context {
  /** For its files; removed afterwards. */
  readonly folder: string;
  readonly postgres: PostgresServer;
  /** How much is measured: 1 as documented, less to try it out. */
  readonly scale: number;
}

/** At least one. */
export function scaled(amount: number, { scale }: Pick<Context, 'scale'>): number {
  return Math.max(1, Math.round(amount * scale));
}
