import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { csvRecord } from '../domain/csv.ts';
import { formatMajorUnits } from '../domain/money.ts';
import type { Runtime } from '../runtime.ts';
import { listPayoutsBelow, type PayoutFilter, type PayoutView } from '../storage/money/payouts.ts';

const ROWS_PER_QUERY = 1_000;
const COLUMNS: Readonly<Record<string, (payout: PayoutView) => string | number | null>> = {
  id: (payout) => payout.id,
  partner_id: (payout) => payout.partner_id,
  partner_name: (payout) => payout.partner_name,
  partner_email: (payout) => payout.partner_email,
  currency: (payout) => payout.currency,
  status: (payout) => payout.status,
  amount_cents: (payout) => payout.amount_cents,
  amount: (payout) => formatMajorUnits(payout.amount_cents, payout.currency),
  commissions: (payout) => payout.commissions,
  reference: (payout) => payout.reference,
  ledger_position: (payout) => payout.chain_position,
  ledger_hash: (payout) => payout.chain_hash,
  created_at: (payout) => isoTime(payout.created_at),
  paid_at: (payout) => isoTimeOrNull(payout.paid_at),
  cancelled_at: (payout) => isoTimeOrNull(payout.cancelled_at),
};

/**
 * All payouts that match the filter in one snapshot, newest first. Rows are read in pages, so that only one
 * page and the text are in memory.
 */
export function payoutsCsv(
  { engine }: Pick<Runtime, 'engine'>,
  programId: number,
  filter: PayoutFilter,
): Promise<string> {
  return engine.snapshot(async (db) => {
    let text = csvRecord(Object.keys(COLUMNS));
    let lastId: number | null = null;
    for (;;) {
      const payouts: PayoutView[] = await listPayoutsBelow(db, programId, filter, lastId, ROWS_PER_QUERY);
      for (const payout of payouts) text += csvRecord(Object.values(COLUMNS).map((cellOf) => cellOf(payout)));
      lastId = payouts.at(-1)?.id ?? null;
      if (payouts.length < ROWS_PER_QUERY) return text;
      // SQLite returns synchronously: without this pause, the export would block all other requests.
      await nextTurn();
    }
  });
}
