import type { PayoutProviderName, updatePayoutSettingsRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { openDebtor, sealDebtor } from '../access/sealed-payout-details.ts';
import type { Debtor } from '../domain/payout-files/payout-file.ts';
import { sepaText } from '../domain/payout-files/sepa-text.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import {
  findPayoutSettings,
  type PayoutSettings,
  savePayoutSettings,
} from '../storage/money/payout-settings.ts';
import { lockProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';
import { payoutProvidersOf } from './payout-providers.ts';

export type PayoutSettingsChange = z.output<typeof updatePayoutSettingsRequest>;

/**
 * The payout settings, the account that pays the payouts, and the payment services that the operator has
 * configured.
 */
export interface PayoutSettingsView {
  readonly settings: PayoutSettings;
  readonly debtor: Debtor | null;
  /** The payment services that can send payouts of the program. */
  readonly providers: readonly PayoutProviderName[];
}

export async function readPayoutSettings(
  runtime: Runtime,
  { id, workspaceId }: ProgramAccount,
): Promise<PayoutSettingsView> {
  const settings = await findPayoutSettings(runtime.engine.read, id);
  const providers = [...payoutProvidersOf(runtime, workspaceId).keys()];
  return { settings, debtor: openDebtor(runtime, settings), providers };
}

/** Changes payout settings. Settings that are missing in the change keep their values. */
export function changePayoutSettings(
  runtime: Runtime,
  program: ProgramAccount,
  change: PayoutSettingsChange,
): Promise<PayoutSettingsView | Rejection> {
  return transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    if (!(await lockProgram(tx, program.id))) return new Rejection('program_not_found');
    const before = await findPayoutSettings(tx.db, program.id);
    const debtor =
      change.debtor === undefined ? openDebtor(runtime, before) : change.debtor && toDebtor(change.debtor);
    if (change.debtor && sepaText(change.debtor.name, 70) === null) {
      return new Rejection(
        'invalid_field',
        'name of debtor must consist of Latin letters, digits and spaces',
      );
    }
    const day = change.schedule_day === undefined ? before.schedule_day : change.schedule_day;
    const after: PayoutSettings = {
      program_id: program.id,
      min_payout_cents:
        change.min_payout_cents === undefined ? before.min_payout_cents : change.min_payout_cents,
      schedule_day: day,
      scheduled_at: day === null ? null : day === before.schedule_day ? before.scheduled_at : runtime.now(),
      sealed_debtor:
        change.debtor === undefined
          ? before.sealed_debtor
          : debtor && sealDebtor(runtime, program.id, debtor),
    };
    await savePayoutSettings(tx, after);
    const stateOf = ({ min_payout_cents, schedule_day }: PayoutSettings) => ({
      min_payout_cents,
      schedule_day,
    });
    await recordChange(tx, runtime, {
      workspaceId: program.workspaceId,
      programId: program.id,
      action: 'program.update_payout_settings',
      subjectId: program.id,
      before: stateOf(before),
      after: { ...stateOf(after), ...(change.debtor !== undefined && { changed_fields: ['debtor'] }) },
    });
    return {
      settings: after,
      debtor,
      providers: [...payoutProvidersOf(runtime, program.workspaceId).keys()],
    };
  });
}

function toDebtor({ name, iban, bic }: NonNullable<PayoutSettingsChange['debtor']>): Debtor {
  return { name, iban, bic: bic ?? null };
}
