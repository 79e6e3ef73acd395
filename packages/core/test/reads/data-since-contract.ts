import { expect, test } from 'vitest';
import { DAY_MS, isoTime, utcDay } from '../../src/domain/calendar.ts';
import { recordHistory } from '../../src/history/record-history.ts';
import { insertUser, SERVICE_LANE } from '../../src/storage/accounts/users.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { createSession } from '../support/users.ts';
import { makeWorld, START, signInOwner, type World } from '../support/world.ts';

const EARNED_AT = START - 400 * DAY_MS;

export function dataSinceContract(kind: string, open: OpenEngine): void {
  test(`importing an older commission sets data_since of the program and the partner to its day on ${kind}`, async () => {
    const world = await makeWorld(await open());
    const { call, program, anna, ben } = world;
    const path = '/api/advertiser/affiliate-programs';
    const owner = await signInOwner(world);
    const dataSince = async () => {
      const list = await call('GET', path, undefined, owner);
      expect(list.body).toMatchObject({ data: [{ id: program.id, created_at: isoTime(START) }] });
      const one = await call('GET', `${path}/${program.id}`, undefined, owner);
      const [listed] = list.body['data'] as { data_since: string }[];
      expect(one.body['data']).toMatchObject({ data_since: listed?.data_since });
      return listed?.data_since;
    };
    // The first totals of the program count its partners, which were added on the day of its creation.
    expect(await dataSince()).toBe(isoTime(utcDay(START) * DAY_MS));
    await importCommission(world);
    const firstDay = isoTime(utcDay(EARNED_AT) * DAY_MS);
    expect(await dataSince()).toBe(firstDay);
    const sinceOf = async (partnerId: number) => {
      const { body } = await call('GET', '/api/partner/me', undefined, await signInPartner(world, partnerId));
      return body['partners'];
    };
    expect(await sinceOf(anna.partnerId)).toMatchObject([{ programs: [{ data_since: firstDay }] }]);
    expect(await sinceOf(ben.partnerId)).toMatchObject([{ programs: [{ data_since: isoTime(START) }] }]);
    await auditAndClose(world);
  });
}

/** Imports a commission that Anna earned in another service before the program was created. */
async function importCommission({ affkit, program }: World): Promise<void> {
  const partnerEmail = 'anna@partner.example';
  const customer = { ref: 'c1', key: 'c1', email: null, partnerEmail, code: null, signupAt: null };
  const commission = {
    id: '1',
    partnerEmail,
    customer,
    state: 'approved',
    saleCents: 5_000,
    saleCurrency: 'USD',
    commissionCents: 1_000,
    currency: 'USD',
    earnedAt: EARNED_AT,
    dueAt: null,
    paidAt: null,
    payoutRef: null,
    paymentRefs: [],
    subscriptionId: null,
  } as const;
  const options = { source: 'old', sourceTitle: 'Old', programSlug: program.slug, isDryRun: false };
  const [outcome] = await recordHistory(affkit.runtime, options, (record) =>
    record([{ kind: 'commission', commission }]),
  );
  expect(outcome).toMatchObject({ outcome: 'imported' });
}

async function signInPartner({ affkit, engine }: World, partnerId: number) {
  const userId = await engine.write(SERVICE_LANE, async (tx) => {
    const email = `user-${partnerId}@partner.example`;
    const id = await insertUser(tx, { email, name: 'user', passwordHash: 'x', at: START });
    await tx.db.updateTable('partners').set({ user_id: id }).where('id', '=', partnerId).execute();
    return id;
  });
  return { authorization: `Bearer ${(await createSession(affkit.runtime, userId)).token}` };
}
