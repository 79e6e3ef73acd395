import type { Transaction } from '../storage/engine/engine.ts';
import { lockParkedCharges } from '../storage/processor-charges.ts';
import { addReferences, type TakenTransaction } from '../storage/processor-refs.ts';
import { findProgram } from '../storage/programs.ts';
import { findSale } from '../storage/sales.ts';
import { settleCharge } from './settle-charge.ts';

/** Gives a recorded sale further ids of its payment, and applies the refunds that waited for one of them. */
export async function attachReferences(
  tx: Transaction,
  workspaceId: number,
  sale: TakenTransaction,
  refs: readonly string[],
  now: number,
): Promise<void> {
  await addReferences(tx, workspaceId, sale, refs);
  await settleParkedRefunds(tx, workspaceId, sale, refs, now);
}

/** Applies the refunds that waited for a sale with one of these ids. */
export async function settleParkedRefunds(
  tx: Transaction,
  workspaceId: number,
  { programId, saleId }: TakenTransaction,
  refs: readonly string[],
  now: number,
): Promise<void> {
  const parked = await lockParkedCharges(tx, workspaceId, refs);
  if (parked.length === 0) return;
  const program = await findProgram(tx.db, programId);
  const sale = program && (await findSale(tx.db, programId, saleId));
  if (!program || !sale) return;
  for (const charge of parked) await settleCharge(tx, program, sale, charge, now);
}
