import type { Selectable } from 'kysely';
import type { Schema } from '../../src/storage/database/schema.ts';
import type { OpenEngine } from './engine-kinds.ts';
import { makeWorld, type Reply, type World } from './world.ts';

/** A world with a click to sell by. */
export interface SaleWorld extends World {
  /** Of a click by Anna's code. */
  readonly clickId: string;
  /** A sale of 1999 as `t1` by that click, but for what the fields say. */
  sell(fields?: Record<string, unknown>): Promise<Reply>;
  /** All that were made, the first one first. */
  commissions(): Promise<Selectable<Schema['commissions']>[]>;
}

export async function openSaleWorld(open: OpenEngine): Promise<SaleWorld> {
  const world = await makeWorld(await open());
  const clickId = await world.click('anna');
  return {
    ...world,
    clickId,
    sell: (fields = {}) =>
      world.track('sale', { transaction_id: 't1', amount_cents: 1999, click_id: clickId, ...fields }),
    commissions: () => world.engine.read.selectFrom('commissions').selectAll().orderBy('id').execute(),
  };
}
