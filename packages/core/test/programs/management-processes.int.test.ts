import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type Affkit, createAffkit } from '../../src/create-affkit.ts';
import { acceptInvite } from '../../src/management/accept-invite.ts';
import { approveCommission, rejectCommission } from '../../src/management/commissions.ts';
import { addMember, changeMember, removeMember } from '../../src/management/members.ts';
import { createPartner } from '../../src/management/partners.ts';
import { changePolicy, createPolicy } from '../../src/management/policies.ts';
import { createProgram } from '../../src/management/programs.ts';
import { isRejection } from '../../src/rejection.ts';
import { lockMember } from '../../src/storage/accounts/members.ts';
import { insertUser } from '../../src/storage/accounts/users.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { createRecorders } from '../../src/tracking/recorders.ts';
import { trackRefund } from '../../src/tracking/track-refund.ts';
import { waitForBlockedSessions } from '../support/blocked-sessions.ts';
import { runConcurrently, SECRET } from '../support/management-world.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { API_CLIENT } from '../support/users.ts';
import { createCaller, unwrap } from '../support/world.ts';

const PROCESSES = 4;

let connectionString: string;
let processes: Affkit[];

/** Opens instances that share a database but no state in memory, like separate processes. */
beforeEach(async () => {
  connectionString = await createMigratedDatabase(inject('postgresUrl'));
  processes = await runConcurrently(PROCESSES, async () =>
    createAffkit({ engine: postgresEngine({ connectionString }), secret: SECRET }),
  );
  await Promise.all(processes.map((affkit) => affkit.migrate()));
});

afterEach(async () => {
  await Promise.all(processes.map((affkit) => affkit.close()));
  await dropDatabase(connectionString);
});

const inEach = <T>(times: number, run: (affkit: Affkit, index: number) => Promise<T>): Promise<T[]> =>
  runConcurrently(PROCESSES * times, (index) => {
    const affkit = processes[index % PROCESSES];
    if (!affkit) throw new Error('no such process');
    return run(affkit, index);
  });

test('one of several processes that start together creates the first owner, even if their emails differ', async () => {
  const made = await inEach(1, (affkit, index) => affkit.ensureFirstOwner({ email: `a${index}@shop.test` }));
  expect(made.filter((owner) => owner !== null)).toHaveLength(1);
  const counts = await inEach(1, async ({ runtime: { engine } }) => [
    (await engine.read.selectFrom('users').select('id').execute()).length,
    (await engine.read.selectFrom('workspaces').select('id').execute()).length,
  ]);
  expect(counts).toEqual(Array(PROCESSES).fill([1, 1]));
});

test('slugs, partners, codes and policy versions stay unique across processes', async () => {
  await inEach(1, (affkit) => affkit.ensureFirstOwner({ email: 'a@shop.test', password: 'long enough' }));
  const workspaceId = 1;
  const commission = { type: 'percent' as const, rate: 10 };
  const settings = { name: 'Same', site_url: 'https://shop.example', commission };
  const programs = await inEach(5, (affkit) => createProgram(affkit.runtime, workspaceId, settings));
  expect(new Set(programs.map((made) => unwrap(made).program.slug)).size).toBe(20);

  const [first] = programs.map((made) => unwrap(made).program);
  if (!first) throw new Error('no program');
  const pat = { name: 'Pat', email: 'pat@partner.test', code: 'pat' };
  const enrolled = await inEach(5, (affkit) => createPartner(affkit.runtime, first, pat, null));
  expect(enrolled.filter((made) => unwrap(made).isNew)).toHaveLength(1);
  expect(new Set(enrolled.map((made) => unwrap(made).partner.id)).size).toBe(1);

  const taken = await inEach(5, (affkit, index) =>
    createPartner(
      affkit.runtime,
      first,
      { name: 'P', email: `p${index}@partner.test`, code: 'wanted' },
      null,
    ),
  );
  expect(taken.filter((made) => !isRejection(made))).toHaveLength(1);

  const target = { product_id: 'pro', type: 'flat' as const, amount_cents: 1 };
  const policies = await inEach(5, (affkit) => createPolicy(affkit.runtime, first, target));
  const [policy] = policies.filter((made) => !isRejection(made)).map(unwrap);
  expect(policies.filter((made) => !isRejection(made))).toHaveLength(1);
  const changed = await inEach(5, (affkit, index) =>
    changePolicy(affkit.runtime, first, policy?.id ?? 0, { type: 'flat', amount_cents: 100 + index }),
  );
  expect(changed.map((made) => unwrap(made).version).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 2),
  );
});

test('one owner remains when owners demote each other in two processes, and an invitation is accepted once', async () => {
  const [first] = processes;
  if (!first) throw new Error('no such process');
  await first.ensureFirstOwner({ email: 'a@shop.test', password: 'long enough' });
  const { read } = first.runtime.engine;
  const [ann] = await read.selectFrom('members').selectAll().execute();
  if (ann?.user_id == null) throw new Error('no owner');
  const by = { workspaceId: ann.workspace_id, userId: ann.user_id };
  const input = { email: 'b@shop.test', name: 'Bob', role: 'owner' as const };
  const added = await inEach(2, ({ runtime }) => addMember(runtime, by, input));
  const tokens = added.flatMap((one) => unwrap(one).invite?.token ?? []);
  expect(tokens).toHaveLength(1);

  const invitee = {
    user: null,
    sessionId: null,
    client: API_CLIENT,
    password: 'long enough',
    requestId: 'r',
  };
  const taken = await inEach(2, ({ runtime }) => acceptInvite(runtime, tokens[0] ?? '', invitee));
  const winners = taken.filter((one) => !isRejection(one));
  expect(winners).toHaveLength(1);
  const [bob] = winners.map(unwrap);
  if (!bob) throw new Error('No process accepted the invitation');
  const bobs = await read.selectFrom('members').select('id').where('user_id', '=', bob.user.id).execute();

  await inEach(2, ({ runtime }, index) =>
    index % 2 === 0
      ? changeMember(runtime, by, bobs[0]?.id ?? 0, { role: 'viewer' })
      : changeMember(runtime, { ...by, userId: bob.user.id }, ann.id, { role: 'viewer' }),
  );
  const owners = await read.selectFrom('members').select('id').where('role', '=', 'owner').execute();
  expect(owners).toHaveLength(1);
});

test('a concurrent change or removal of a member waits until the invitation is accepted', async () => {
  const [first, second, third] = processes;
  if (!first || !second || !third) throw new Error('no such process');
  await first.ensureFirstOwner({ email: 'a@shop.test', password: 'long enough' });
  const { read } = first.runtime.engine;
  const ann = await read.selectFrom('members').selectAll().executeTakeFirstOrThrow();
  const by = { workspaceId: ann.workspace_id, userId: ann.user_id ?? 0 };
  for (const step of ['change', 'remove', 'change', 'remove', 'change']) {
    const email = `${randomUUID()}@shop.test`;
    const input = { email, name: 'Bob', role: 'viewer' as const };
    const { member, invite } = unwrap(await addMember(first.runtime, by, input));
    const id = await first.runtime.engine.write(0, (tx) =>
      insertUser(tx, { email, name: 'Robert', passwordHash: 'none', at: 1 }),
    );
    const user = { id, email, name: 'Robert' };
    const invitee = { user, sessionId: null, client: API_CLIENT, password: undefined, requestId: 'r' };
    let taken: Promise<unknown> | undefined;
    let changed: Promise<unknown> | undefined;
    // The lock makes acceptInvite wait after it has read the invitation.
    await third.runtime.engine.write(0, async (tx) => {
      await lockMember(tx, member.id);
      taken = acceptInvite(first.runtime, invite?.token ?? '', invitee);
      await waitForBlockedSessions(first.runtime.engine, 1);
      changed =
        step === 'change'
          ? changeMember(second.runtime, by, member.id, { email: `new-${email}` })
          : removeMember(second.runtime, by, member.id);
      await waitForBlockedSessions(first.runtime.engine, 2);
    });
    expect(isRejection(await taken)).toBe(false);
    const outcome = await changed;
    if (step === 'change') expect(outcome).toMatchObject({ code: 'conflict' });
    else expect(outcome).toBe(true);
  }
});

test('a commission that several processes reject, approve and refund is deducted once', async () => {
  const [first] = processes;
  if (!first) throw new Error('no such process');
  await first.ensureFirstOwner({ email: 'a@shop.test', password: 'long enough' });
  const commission = { type: 'percent' as const, rate: 10 };
  const settings = { name: 'Shop', site_url: 'https://shop.example', commission, hold_days: 9 };
  const { program } = unwrap(await createProgram(first.runtime, 1, settings));
  const pat = { name: 'Pat', email: 'pat@partner.test', code: 'pat' };
  unwrap(await createPartner(first.runtime, program, pat, null));
  const call = createCaller(first);
  const click = { affiliate_url: 'https://shop.example/?aff=pat' };
  const { body } = await call('POST', '/api/v1/track/click', click);
  const clickId = String(body['click_id']);
  for (let round = 0; round < 5; round++) {
    const sale = { transaction_id: `t${round}`, amount_cents: 1000, click_id: clickId };
    const recorded = unwrap(await createRecorders(first.runtime).sales.record({ program, sale }));
    const id = recorded.kind === 'recorded' ? (recorded.commissionId ?? 0) : 0;
    await inEach(3, async ({ runtime }, index) => {
      if (index % 3 === 0) await rejectCommission(runtime, program, id);
      else if (index % 3 === 1) await approveCommission(runtime, program, id);
      else await trackRefund(runtime, program, { transaction_id: sale.transaction_id });
    });
    const { read } = first.runtime.engine;
    const entries = await read
      .selectFrom('ledger_entries')
      .select('kind')
      .where('commission_id', '=', id)
      .execute();
    expect(entries.map((entry) => entry.kind).sort()).toEqual([
      'commission',
      'commission',
      'deduction',
      'deduction',
    ]);
    const balances = await read.selectFrom('balances').select('balance_cents').execute();
    expect(balances).toEqual([{ balance_cents: 0 }, { balance_cents: 0 }]);
  }
});
