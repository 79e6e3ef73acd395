import { afterAll, beforeAll, expect, it } from 'vitest';
import { maskEmail } from '../../src/domain/email.ts';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { PASSWORD } from '../support/management-world.ts';
import { openPartnerWorld, type PartnerWorld, PROGRAMS } from '../support/partner-portal-world.ts';
import { createTestMailer } from '../support/test-mailer.ts';

const PATH = '/api/partner/payout-details';
const ADDRESS = { line1: 'Hauptstrasse 1', postal_code: '10115', city: 'Berlin', country: 'de' };
const BANK = {
  method: 'bank',
  currency: 'eur',
  iban: 'de89 3704 0044 0532 0130 00',
  bic: 'cobadeffxxx',
  account_holder: 'Secret Holder',
  tax_name: 'Secret Taxpayer',
  tax_id: 'SECRET-TAX-1',
  address: ADDRESS,
};
/** Matches the values of `BANK` that only the partner may read, in their stored form. */
const SECRETS = /DE8937|013000|COBADEFF|Secret|SECRET|Hauptstrasse|10115/i;

const INVALID: readonly (readonly [body: object, error: string])[] = [
  [{}, 'method must be one of paypal, bank, wise, stripe, other'],
  [{ method: 'cash' }, 'method must be one of paypal, bank, wise, stripe, other'],
  [{ ...BANK, iban: 'DE89370400440532013001' }, 'iban must be a valid IBAN such as'],
  [{ ...BANK, iban: 'DE8937040044053201300' }, 'iban must be a valid IBAN such as'],
  [{ ...BANK, bic: 'COBA' }, 'bic must be a valid BIC of 8 or 11 characters'],
  [{ ...BANK, iban: null }, 'iban is required for the method bank'],
  [{ ...BANK, account_holder: undefined }, 'account_holder is required for the method bank'],
  [{ ...BANK, account_holder: 'x'.repeat(71) }, 'account_holder must be a string of 1 to 70 characters'],
  [{ ...BANK, account_holder: 'a\u202eb' }, 'account_holder must not contain control or bidirectional'],
  [{ ...BANK, email: 'a@b.example' }, 'The method bank does not use email. Remove it.'],
  [{ ...BANK, account_holder_type: 'company' }, 'The method bank does not use account_holder_type.'],
  [
    { method: 'wise', account_holder: 'A', email: 'a@b.example', account_holder_type: 'club' },
    'account_holder_type must be one of person, company',
  ],
  [{ ...BANK, currency: 'EURO' }, 'currency must be an ISO 4217 code'],
  [{ ...BANK, address: { ...ADDRESS, country: 'ZZ' } }, 'country of address must be an ISO 3166-1 code'],
  [{ ...BANK, address: { ...ADDRESS, city: undefined } }, 'city of address must be a string'],
  [{ ...BANK, address: { ...ADDRESS, street: 'x' } }, 'Unknown field "address.street"'],
  [{ method: 'paypal' }, 'email is required for the method paypal'],
  [{ method: 'paypal', email: 'anna' }, 'email must be an email address'],
  [{ method: 'wise', account_holder: 'A' }, 'The method wise requires either email or iban'],
  [
    { method: 'wise', account_holder: 'A', email: 'a@b.example', iban: BANK.iban },
    'The method wise requires either email or iban',
  ],
  [
    { method: 'stripe', stripe_account_id: 'cus_1' },
    'stripe_account_id must be the id of a connected account',
  ],
  [{ method: 'other', instructions: ' ' }, 'instructions must not be empty'],
];

export function payoutDetailsContract(open: OpenEngine): void {
  let portal: PartnerWorld;
  const mailer = createTestMailer();
  beforeAll(async () => {
    portal = await openPartnerWorld(open, { mailer, publicUrl: 'https://affkit.test' });
  });
  afterAll(() => portal.world.close());

  const put = (body: object, by = portal.rob) =>
    portal.world.call<Record<string, unknown>>('PUT', PATH, {
      token: by.token,
      body: { password: PASSWORD, ...body },
    });
  const get = (query = '', by = portal.rob) =>
    portal.world.call<{ data: unknown }>('GET', `${PATH}${query}`, { token: by.token });
  const masked = (partnerId: number, program = portal.main) =>
    portal.world.call<{ data: unknown }>(
      'GET',
      `${PROGRAMS}/${program.id}/partners/${partnerId}/payout-details`,
      { token: program.owner.token },
    );
  const auditOf = (partnerId: number) =>
    portal.world.engine.read
      .selectFrom('audit_log')
      .select(['state_before', 'state_after', 'actor_id'])
      .where('action', '=', 'partner.update_payout_details')
      .where('subject_id', '=', partnerId)
      .orderBy('id')
      .execute();
  const noticesOf = async (partnerId: number) => {
    const rows = await portal.world.engine.read
      .selectFrom('notifications')
      .select(['payload', 'program_id'])
      .where('kind', '=', 'payout_details_changed')
      .where('partner_id', '=', partnerId)
      .orderBy('id')
      .execute();
    return rows.map((row) => JSON.parse(row.payload) as { changedFields: string[] });
  };

  it('returns null before the partner has entered details', async () => {
    expect(await get()).toMatchObject({ status: 200, body: { data: null } });
    expect(await masked(portal.robInMain.id)).toMatchObject({ status: 200, body: { data: null } });
  });

  it.each(INVALID)('rejects %j', async (body, error) => {
    const reply = await put(body);
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
    expect((await get()).body.data).toBeNull();
  });

  it('stores details encrypted, and shows them whole only to the partner', async () => {
    const { id } = portal.robInMain;
    const stored = {
      partner_id: id,
      method: 'bank',
      currency: 'EUR',
      email: null,
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      account_holder: 'Secret Holder',
      account_holder_type: null,
      stripe_account_id: null,
      instructions: null,
      tax_name: 'Secret Taxpayer',
      tax_id: 'SECRET-TAX-1',
      address: { ...ADDRESS, country: 'DE', line2: null, region: null },
      updated_at: new Date(portal.world.clock.now).toISOString(),
    };
    const { status, body } = await put(BANK);
    expect([status, body['data']]).toEqual([200, stored]);
    expect((await get()).body.data).toEqual(stored);
    expect((await masked(id)).body.data).toEqual({
      partner_id: id,
      method: 'bank',
      currency: 'EUR',
      account_masked: 'DE89…3000',
      country: 'DE',
      has_tax_id: true,
      updated_at: stored.updated_at,
    });
    const { read } = portal.world.engine;
    const tables = await Promise.all([
      read.selectFrom('payout_details').selectAll().execute(),
      read.selectFrom('audit_log').selectAll().execute(),
      read.selectFrom('notifications').selectAll().execute(),
    ]);
    expect(JSON.stringify(tables)).not.toMatch(SECRETS);
  });

  it('records and announces each change once, with the names of the changed fields', async () => {
    const { id } = portal.robInMain;
    const changed = { ...BANK, iban: 'GB33BUKB20201555555555', bic: null };
    const replies = await Promise.all(Array.from({ length: 8 }, () => put(changed)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    const audit = await auditOf(id);
    expect(audit).toHaveLength(2);
    expect(audit[1]).toEqual({
      state_before: '{"changed_fields":null}',
      state_after: '{"changed_fields":["iban","bic"]}',
      actor_id: portal.rob.userId,
    });
    expect((await noticesOf(id)).at(-1)).toEqual({ changedFields: ['iban', 'bic'] });
    const notices = await portal.ask<{ data: unknown[] }>(portal.rob, '/api/partner/notifications');
    expect(notices.data).toMatchObject([
      { kind: 'payout_details_changed', details: { changed_fields: ['iban', 'bic'] } },
      { kind: 'payout_details_changed' },
    ]);
    expect((await masked(id)).body.data).toMatchObject({ account_masked: 'GB33…5555' });
  });

  it('sends an email about each change, including to a previous address of the partner', async () => {
    const { away, rob, sidInAway, world } = portal;
    await world.affkit.jobs.runOnce();
    mailer.accepted.length = 0;
    // After an hour, the emails of earlier tests no longer count toward the limit.
    world.clock.now += 61 * 60_000;
    const changed = { ...BANK, tax_id: 'SECRET-TAX-2' };
    await Promise.all(Array.from({ length: 4 }, () => put(changed)));
    await world.affkit.jobs.runOnce();
    const addresses = mailer.accepted.map(({ to }) => to.address).toSorted();
    // The partner's email address, and the email address with which the user signs in.
    expect(addresses).toEqual(['rob@partner.test', rob.email].toSorted());
    const listed = async (query = '') =>
      (
        await portal.ask<{ data: { recipient: string; kind: string }[] }>(
          portal.main.owner,
          `/api/advertiser/emails?kind=payout_details_changed${query}`,
        )
      ).data.map(({ recipient }) => recipient);
    // The advertiser must not learn the address with which the partner signs in.
    expect(await listed()).toContain('rob@partner.test');
    expect(await listed()).toContain(maskEmail(rob.email));
    expect(await listed()).not.toContain(rob.email);
    expect(await listed(`&q=${rob.email}`)).toEqual([]);
    expect(await listed('&q=rob@partner')).toContain('rob@partner.test');
    const message = mailer.lastTo(rob.email);
    expect(message.subject).toBe('Your payout details were changed: Acme');
    expect(message.text).toContain('Changed: IBAN, BIC, tax number');
    expect(message.text).toContain('https://affkit.test/app/partner/payout-details');
    expect(message.headers['List-Unsubscribe']).toBeUndefined();
    const key = { id: portal.robInMain.id, workspaceId: portal.main.owner.workspaceId };
    for (let count = 0; count < 12; count++) {
      // Changes of the same fields at the same clock time would share an email.
      world.clock.now += 1_000;
      const details = toPayoutDetails({ ...BANK, method: 'bank', tax_id: `T${count}` });
      await changePayoutDetails(world.affkit.runtime, key, details);
    }
    await world.affkit.jobs.runOnce();
    const toRob = mailer.accepted.filter(({ to }) => to.address === rob.email);
    expect(toRob).toHaveLength(10);
    // Simulates somebody who changes the email address of a partner without a user account, accepts the
    // invitation, and enters a bank account.
    const moved = { email: 'new-sid@partner.test' };
    await portal.ask(away.owner, `${PROGRAMS}/${away.id}/partners/${sidInAway.id}`, 'PUT', moved);
    const sid = { id: sidInAway.id, workspaceId: away.owner.workspaceId };
    await changePayoutDetails(world.affkit.runtime, sid, toPayoutDetails({ ...BANK, method: 'bank' }));
    mailer.accepted.length = 0;
    await world.affkit.jobs.runOnce();
    const subjects = mailer.accepted.map(({ to, subject }) => `${to.address} ${subject}`).toSorted();
    const subject = 'Your payout details were changed: Acme';
    expect(subjects).toEqual([`${moved.email} ${subject}`, `sid@partner.test ${subject}`]);
    expect(mailer.lastTo('sid@partner.test').text).toContain('Hello,');
    expect(JSON.stringify(mailer.accepted)).not.toMatch(SECRETS);
    world.clock.now += 61 * 60_000;
  });

  it('requires the current password to change existing details, and limits wrong passwords', async () => {
    const details = { ...BANK, tax_id: 'SECRET-TAX-3' };
    const change = (password?: string) => put({ ...details, password });
    const required = { status: 403, body: { code: 'password_required' } };
    expect(await change()).toMatchObject(required);
    for (let count = 0; count < 9; count++) {
      expect(await change('wrong')).toMatchObject({ status: 403, body: { code: 'password_wrong' } });
    }
    expect(await change(PASSWORD)).toMatchObject({ status: 200 });
    expect(await change()).toMatchObject({ status: 200 });
    for (let count = 0; count < 10; count++) await change('wrong');
    const limited = { status: 429, body: { code: 'login_rate_limited' } };
    expect(await change(PASSWORD)).toMatchObject(limited);
    expect(await put({ ...BANK, password: undefined })).toMatchObject(required);
    portal.world.clock.now += 15 * 60_000;
  });

  it('deletes the details once, even if the request is repeated, and announces the deletion', async () => {
    const { id } = portal.robInMain;
    const before = await noticesOf(id);
    await portal.world.affkit.jobs.runOnce();
    mailer.accepted.length = 0;
    const remove = (query = '', password: string | null = PASSWORD) =>
      portal.world.call<{ success: boolean }>('DELETE', `${PATH}${query}`, {
        token: portal.rob.token,
        ...(password !== null && { body: { password } }),
      });
    expect(await remove('', null)).toMatchObject({ status: 403, body: { code: 'password_required' } });
    expect(await remove('', 'wrong')).toMatchObject({ status: 403, body: { code: 'password_wrong' } });
    expect((await get()).body.data).not.toBeNull();
    const replies = await Promise.all([remove(), remove(), remove(`?partner_id=${id}`)]);
    for (const reply of replies) expect(reply).toMatchObject({ status: 200, body: { success: true } });
    expect(await remove('?partner_id=999999')).toMatchObject({ status: 404 });
    expect((await get()).body.data).toBeNull();
    expect((await masked(id)).body.data).toBeNull();
    expect((await noticesOf(id)).slice(before.length)).toEqual([{ changedFields: [] }]);
    const audit = await portal.world.engine.read
      .selectFrom('audit_log')
      .select('actor_id')
      .where('action', '=', 'partner.delete_payout_details')
      .execute();
    expect(audit).toEqual([{ actor_id: portal.rob.userId }]);
    await portal.world.affkit.jobs.runOnce();
    const addresses = mailer.accepted.map(({ to }) => to.address).toSorted();
    expect(addresses).toEqual(['rob@partner.test', portal.rob.email].toSorted());
    const message = mailer.lastTo(portal.rob.email);
    expect(message.subject).toBe('Your payout details were deleted: Acme');
    expect(message.text).not.toContain('Changed:');
    expect(await remove('', null)).toMatchObject({ status: 200 });
  });

  it('replaces all details, for every method', async () => {
    const { id } = portal.robInMain;
    await put({ method: 'paypal', email: 'Rob@Example.test' });
    expect((await get()).body.data).toMatchObject({ email: 'rob@example.test', iban: null, address: null });
    expect((await masked(id)).body.data).toMatchObject({
      account_masked: 'r***@example.test',
      country: null,
      has_tax_id: false,
    });
    await put({ method: 'wise', iban: BANK.iban, account_holder: 'Rob' });
    expect((await masked(id)).body.data).toMatchObject({ account_masked: 'DE89…3000', currency: null });
    await put({ method: 'stripe', stripe_account_id: 'acct_1NfIxQ2eZvKYlo2C' });
    expect((await masked(id)).body.data).toMatchObject({ account_masked: 'acct…lo2C' });
    await put({ method: 'other', instructions: 'Call me\nat noon' });
    expect((await masked(id)).body.data).toMatchObject({ method: 'other', account_masked: null });
  });

  it('requires partner_id from a user with several partners, and hides other partners', async () => {
    const { inMain, inAway, robInMain, pat } = portal;
    expect(await get('', pat)).toMatchObject({ status: 400, body: { code: 'partner_id_required' } });
    expect(await put(BANK, pat)).toMatchObject({ status: 400, body: { code: 'partner_id_required' } });
    expect(await put({ ...BANK, partner_id: inAway.id }, pat)).toMatchObject({ status: 200 });
    expect((await get(`?partner_id=${inAway.id}`, pat)).body.data).toMatchObject({ method: 'bank' });
    expect((await get(`?partner_id=${inMain.id}`, pat)).body.data).toBeNull();
    expect(await get(`?partner_id=${robInMain.id}`, pat)).toMatchObject({ status: 404 });
    expect(await put({ ...BANK, partner_id: robInMain.id }, pat)).toMatchObject({ status: 404 });
    expect(await masked(inAway.id)).toMatchObject({ status: 404 });
    expect((await masked(inAway.id, portal.away)).body.data).toMatchObject({ account_masked: 'DE89…3000' });
  });

  it('does not decrypt details that are copied to the row of another partner', async () => {
    const { inMain, inAway, main, pat } = portal;
    await put({ ...BANK, partner_id: inAway.id }, pat);
    await portal.world.engine.write(main.owner.workspaceId, async (tx) => {
      const row = await tx.db
        .selectFrom('payout_details')
        .selectAll()
        .where('partner_id', '=', inAway.id)
        .executeTakeFirstOrThrow();
      await tx.db
        .insertInto('payout_details')
        .values({ ...row, partner_id: inMain.id })
        .execute();
    });
    expect((await masked(inMain.id)).body.data).toBeNull();
  });
}
