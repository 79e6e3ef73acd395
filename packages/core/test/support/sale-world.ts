import type { Selectable } from 'kysely';
import type { AffkitOptions } from '../../src/options.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import type { OpenEngine } from './engine-kinds.ts';
import { makeWorld, type Reply, type World } from './world.ts';

/** A world with a click that sales can be attributed to. */
export interface SaleWorld extends World {
  /** Id of a click on Anna's link. */
  readonly clickId: string;
  /** Records the sale `t1` of 1999 cents for that click. `fields` override the defaults. */
  sell(fields?: Record<string, unknown>): Promise<Reply>;
  /** Returns all commissions, oldest first. */
  commissions(): Promise<Selectable<Schema['commissions']>[]>;
}

export async function openSaleWorld(
  open: OpenEngine,
  options: Partial<AffkitOptions> = {},
): Promise<SaleWorld> {
  const world = await makeWorld(await open(), {}, options);
  const clickId = await world.click('anna');
  return {
    ...world,
    clickId,
    sell: (fields = {}) =>
      world.track('sale', { transaction_id: 't1', amount_cents: 1999, click_id: clickId, ...fields }),
    commissions: () => world.engine.read.selectFrom('commissions').selectAll().orderBy('id').execute(),
  };
}
