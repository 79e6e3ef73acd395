import { createPartnerRequest } from '@affkit/protocol';
import { deleteInvitesOfLimitedKeys } from '../access/limited-key-invites.ts';
import { addLink } from '../management/links.ts';
import { completeEnrollment } from '../management/partners.ts';
import { isRejection } from '../rejection.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findLinkByCode } from '../storage/programs/links.ts';
import { findOrInsertPartner, insertEnrollment, lockPartner } from '../storage/programs/partners.ts';
import type { HistoryScope } from './history-scope.ts';
import type { PastPartner, PastRecordOutcome } from './past-records.ts';

/**
 * Enrolls a partner, and creates a link for each code. The partner gets no invitation. If the partner is already
 * enrolled, the status does not change, and only missing links are created.
 */
export async function recordPastPartner(
  tx: Transaction,
  { runtime, program }: HistoryScope,
  given: PastPartner,
): Promise<PastRecordOutcome> {
  const parsed = createPartnerRequest.safeParse({ name: given.name, email: given.email });
  if (!parsed.success) {
    return { outcome: 'skipped', reason: parsed.error.issues[0]?.message ?? 'The partner is not valid' };
  }
  const { name, email } = parsed.data;
  const at = runtime.now();
  const partner = await findOrInsertPartner(tx, { workspaceId: program.workspaceId, email, name }, at);
  await lockPartner(tx, partner.id);
  const { status } = given;
  const isNew = await insertEnrollment(tx, { programId: program.id, partnerId: partner.id, status }, at);
  const { free, own, notes } = await checkCodes(tx, partner.id, program.id, given.codes);
  const [first, ...others] = free;
  if (isNew) {
    await deleteInvitesOfLimitedKeys(tx, runtime, partner, program.id);
    const completion = { status, action: 'partner.create', code: first } as const;
    const link = await completeEnrollment(tx, runtime, program, partner, completion);
    if (isRejection(link)) return { outcome: 'skipped', reason: link.message };
  }
  for (const code of isNew ? others : free) {
    const link = await addLink(tx, runtime, program.id, partner, code);
    if (isRejection(link)) return { outcome: 'skipped', reason: link.message };
  }
  const isChanged = isNew || free.length > 0;
  if (isNew && given.codes.length > 0 && free.length + own === 0) {
    notes.push('The partner has a new code');
  }
  return { outcome: isChanged ? 'imported' : 'existing', note: notes.length === 0 ? null : notes.join('. ') };
}

/** Finds out which codes can be used, and which belong to the partner already. */
async function checkCodes(
  tx: Transaction,
  partnerId: number,
  programId: number,
  codes: readonly string[],
): Promise<{ readonly free: string[]; readonly own: number; readonly notes: string[] }> {
  const free: string[] = [];
  const notes: string[] = [];
  let own = 0;
  for (const code of new Set(codes)) {
    const { success } = createPartnerRequest.shape.code.safeParse(code);
    if (!success) {
      notes.push(
        `The code ${JSON.stringify(code)} must consist of 2 to 64 of the characters A-Z a-z 0-9 _ -`,
      );
      continue;
    }
    const link = await findLinkByCode(tx.db, code);
    if (link === null) free.push(code);
    else if (link.partnerId === partnerId && link.programId === programId) own += 1;
    else notes.push(`Another partner has the code ${code} already`);
  }
  return { free, own, notes };
}
