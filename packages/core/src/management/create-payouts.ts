import type { createPayoutsRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { rollbackOnNull } from '../storage/database/rollback-on-null.ts';
import type { PartnerProgramStatus } from '../storage/database/schema-programs.ts';
import { lockBalance, movePayout } from '../storage/money/ledger.ts';
import { sealProgram } from '../storage/money/ledger-chain.ts';
import { findPayable } from '../storage/money/payable.ts';
import {
  findPayout,
  insertPayout,
  type PayoutView,
  takeCommissions,
  updatePayout,
} from '../storage/money/payouts.ts';
import { findEnrollmentStatuses, lockEnrollment } from '../storage/programs/partners.ts';
import { holdProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';
import { payoutState } from './payouts.ts';

export type PayoutOrder = z.output<typeof createPayoutsRequest>;

/** So many partners share a commit, and other work of the workspace comes in between. */
const AT_ONCE = 16;
const UNPAID: readonly PartnerProgramStatus[] = ['rejected', 'banned'];

/**
 * Makes a pending payout for each partner and currency of the program: all that is payable, net of clawbacks and
 * corrections. Where that is less than the minimum, or than 1, none is made, and its commissions stay free for a
 * later one. Partners that are rejected or banned are paid only where they are named. Each partner's payouts are one
 * transaction; whoever asks again after a failure gets the rest. Two at once never take a commission twice.
 */
export async function createPayouts(
  runtime: Runtime,
  program: ProgramAccount,
  order: PayoutOrder,
): Promise<PayoutView[] | Rejection> {
  const partnerIds = await choosePartners(runtime, program, order.partner_ids ?? null);
  if (isRejection(partnerIds)) return partnerIds;
  const leastCents = Math.max(1, order.min_amount_cents ?? 1);
  const at = runtime.now();
  const selection = { programId: program.id, partnerIds: order.partner_ids ?? null };
  const payable = await findPayable(runtime.engine.read, selection, at);
  const currenciesOf = Map.groupBy(
    payable.filter(({ partnerId, payableCents }) => partnerIds.has(partnerId) && payableCents >= leastCents),
    ({ partnerId }) => partnerId,
  );
  const partners = [...currenciesOf];
  const made: PayoutView[] = [];
  while (partners.length > 0) {
    const next = partners.splice(0, AT_ONCE).map(([partnerId, balances]) =>
      runtime.engine.write(program.workspaceId, async (tx) => {
        if (!(await holdProgram(tx, program.id))) return [];
        const status = await lockEnrollment(tx, program.id, partnerId);
        if (order.partner_ids === undefined && status !== null && UNPAID.includes(status)) return [];
        const payouts: PayoutView[] = [];
        for (const { currency } of balances) {
          const target = { program_id: program.id, partner_id: partnerId, currency, created_at: at };
          const payout = await rollbackOnNull(tx, () => pay(tx, runtime, program, target, leastCents));
          if (payout) payouts.push(payout);
        }
        return payouts;
      }),
    );
    made.push(...(await Promise.all(next)).flat());
  }
  return made;
}

async function choosePartners(
  runtime: Runtime,
  program: ProgramAccount,
  named: readonly number[] | null,
): Promise<ReadonlySet<number> | Rejection> {
  const statuses = await findEnrollmentStatuses(runtime.engine.read, program.id, named);
  if (named === null) {
    return new Set([...statuses].filter(([, status]) => !UNPAID.includes(status)).map(([id]) => id));
  }
  const unknown = named.find((id) => !statuses.has(id));
  return unknown === undefined
    ? new Set(named)
    : new Rejection('invalid_field', `partner_ids must name partners of the program; ${unknown} is none`);
}

/** Null where too little is payable; what was done until then has to be undone. */
async function pay(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  target: Parameters<typeof insertPayout>[1],
  leastCents: number,
): Promise<PayoutView | null> {
  const { partner_id: partnerId, currency, created_at: at } = target;
  const payout = await insertPayout(tx, target);
  await takeCommissions(tx, payout, at);
  // From here on nothing that earns or takes back can be half seen.
  await lockBalance(tx, program.id, partnerId, currency);
  const selection = { programId: program.id, partnerIds: [partnerId], currency };
  const [balance] = await findPayable(tx.db, selection, null);
  const takeCents = balance?.payableCents ?? 0;
  if (takeCents < leastCents) return null;
  const subject = { programId: program.id, partnerId, currency, payoutId: payout.id, at };
  await movePayout(tx, subject, 'take', takeCents);
  const head = await sealProgram(tx, program.id);
  const taken = { amount_cents: takeCents, chain_position: head.position, chain_hash: head.hash };
  await updatePayout(tx, payout, taken);
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: 'payout.create',
    subjectId: payout.id,
    before: null,
    after: { ...payoutState(payout), amount_cents: takeCents, partner_id: partnerId, currency },
  });
  return await findPayout(tx.db, program.id, payout.id);
}
