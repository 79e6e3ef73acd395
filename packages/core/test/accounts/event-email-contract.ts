import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queuePayoutEmail } from '../../src/emails/notice-emails.ts';
import { type PayoutRow, updatePayout } from '../../src/storage/money/payouts.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  forge,
  openWorld,
  PASSWORD,
  runConcurrently,
  type SignedUp,
  type World,
} from '../support/management-world.ts';
import { createTestMailer, linkCodeIn, type TestMailer } from '../support/test-mailer.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HTML = { accept: 'text/html' };

interface Partner {
  readonly id: number;
  readonly status: string;
  readonly application: { readonly email_confirmed_at: string | null; readonly approved_by: string | null };
}
interface ItemOf<T> {
  readonly data: T;
}

export function eventEmailContract(open: OpenEngine): void {
  let world: World;
  let mailer: TestMailer;
  let owner: SignedUp & { readonly workspaceId: number };
  let programId: number;
  let program: string;
  let slug: string;
  let count = 0;

  beforeAll(async () => {
    mailer = createTestMailer();
    world = await openWorld(open, { mailer, publicUrl: 'https://affkit.test' });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    owner = await world.owner();
    await openProgram();
    mailer.accepted.length = 0;
  });

  const call = <T = unknown>(method: string, path: string, body?: unknown, token = owner.token) =>
    world.call<T>(method, path, { token, body });
  async function openProgram(): Promise<void> {
    slug = `mail-${++count}`;
    const commission = { type: 'percent', rate: 20 };
    const body = { name: 'Tea & Co', slug, site_url: 'https://tea.example', commission };
    programId = (await call<ItemOf<{ id: number }>>('POST', PROGRAMS, body)).body.data.id;
    program = `${PROGRAMS}/${programId}`;
    await call('PUT', `${program}/page`, {
      published: true,
      accent_color: '#aa0000',
      auto_approve_domains: ['agency.example'],
      invitation_codes: ['SPRING'],
    });
  }
  const deliver = () => world.affkit.jobs.runOnce();
  const newEmail = (domain = 'blog.example') => `pat${++count}@${domain}`;
  const sentTo = (email: string) => mailer.accepted.filter(({ to }) => to.address === email);
  const subjectsTo = (email: string) => sentTo(email).map(({ subject }) => subject);
  /** Sends an application, and returns the path of the partner that it creates. */
  async function apply(fields: { email: string; name?: string; invitation_code?: string }): Promise<string> {
    const { body } = await world.call<ItemOf<{ form_token: string }>>('GET', `/api/v1/programs/${slug}`);
    world.clock.now += 4 * SECOND;
    const sent = await world.call('POST', `/api/v1/programs/${slug}/applications`, {
      ip: `198.51.100.${++count % 250}`,
      body: { name: 'Pat', form_token: body.data.form_token, ...fields },
    });
    expect(sent.status).toBe(200);
    const listed = await call<ItemOf<Partner[]>>('GET', `${program}/partners?q=${fields.email}`);
    return `${program}/partners/${listed.body.data[0]?.id}`;
  }
  const read = async (path: string) => (await call<ItemOf<Partner>>('GET', path)).body.data;
  const linkIn = (text = '') => /https:\/\/affkit\.test\/(api\/v1\/email\/\S+)/.exec(text)?.[1] ?? '';
  const follow = (method: 'GET' | 'POST', link: string, options: { readonly accept?: string } = HTML) =>
    world.call<string>(method, `/${link}`, options);

  describe('an application', () => {
    it('sends the reviewers a notice; sends the applicant a receipt, and a link to an account after the approval', async () => {
      const email = newEmail();
      const path = await apply({ email, name: 'Cheap pills at evil.example' });
      await runConcurrently(3, deliver);
      const [receipt, ...others] = sentTo(email);
      expect(others).toEqual([]);
      expect(receipt).toMatchObject({
        from: { name: 'Tea & Co' },
        to: { address: email },
        subject: 'Your application to Tea & Co',
      });
      // The email address is not confirmed yet, so the receipt must not contain text of the applicant.
      expect(JSON.stringify(receipt)).not.toContain('evil.example');
      expect(receipt?.html).toContain('Tea &amp; Co</p>');
      expect(receipt?.html).toContain('#aa0000');
      expect(mailer.lastTo(owner.email)).toMatchObject({
        subject: '1 application to review: Tea & Co',
        text: expect.stringContaining(`https://affkit.test/app/p/${programId}/partners?status=pending`),
      });
      await call('PUT', path, { status: 'approved' });
      await deliver();
      await deliver();
      const approval = mailer.lastTo(email);
      expect(sentTo(email)).toHaveLength(2);
      expect(approval.subject).toBe('Welcome to the partner program of Tea & Co');
      const body = { token: linkCodeIn(approval), password: PASSWORD };
      expect(approval.text).toContain(`https://affkit.test/app/invite#${body.token}`);
      const accepted = await world.call<{ token: string }>('POST', '/api/auth/accept-invite', { body });
      expect(accepted.status).toBe(200);
      const { token } = accepted.body;
      const account = { status: 200, body: { email_delivery: 'email' } };
      expect(await world.call('GET', '/api/partner/me', { token })).toMatchObject(account);
    });

    it('the email about a rejected application contains the reason, escaped', async () => {
      const email = newEmail();
      const path = await apply({ email, name: 'Pat <b>' });
      const status_reason = 'Not about tea.\n<img src=https://evil.test/x>';
      await call('PUT', path, { status: 'rejected', status_reason });
      await deliver();
      const rejection = mailer.lastTo(email);
      expect(rejection.text).toContain('Hello Pat <b>,');
      expect(rejection.text).toContain('> Not about tea.\n> <img src=https://evil.test/x>');
      expect(rejection.html).not.toMatch(/<img|<b>/);
      expect(rejection.to.name).toBe('Pat <b>');
      // No receipt was sent, because the application was rejected before the job could send it.
      expect(sentTo(email)).toHaveLength(1);
    });

    it('a domain rule approves only after the applicant confirms the email address with a button', async () => {
      const email = newEmail('agency.example');
      const path = await apply({ email });
      expect(await read(path)).toMatchObject({ status: 'pending' });
      await deliver();
      expect(sentTo(owner.email)).toEqual([]);
      const confirmation = mailer.lastTo(email);
      expect(confirmation.subject).toBe('Confirm your email address for Tea & Co');
      const link = linkIn(confirmation.text);
      expect(link).not.toContain('agency.example');
      const page = await follow('GET', link);
      expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<form method="post">') });
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect((await read(path)).status).toBe('pending');
      const replies = await runConcurrently(3, () => follow('POST', link));
      for (const { status, body } of replies) {
        expect([status, body]).toEqual([200, expect.stringContaining('has approved your application')]);
      }
      expect(await read(path)).toMatchObject({
        status: 'approved',
        application: { approved_by: 'email_domain', email_confirmed_at: expect.any(String) },
      });
      await deliver();
      expect(subjectsTo(email)).toHaveLength(2);
      expect(linkCodeIn(mailer.lastTo(email))).toMatch(/^affi_/);
      const audit = await call('GET', '/api/advertiser/audit-log?action=partner.confirm_email');
      expect(audit.body).toMatchObject({ data: [{ after: { status: 'approved' } }] });
    });

    it('an application goes to review if the rule was removed; a link works for one address, for 7 days', async () => {
      const emails = [newEmail('agency.example'), newEmail('agency.example'), newEmail('agency.example')];
      const [path = '', moved = '', late = ''] = await Promise.all(emails.map((email) => apply({ email })));
      await deliver();
      const links = emails.map((email) => linkIn(mailer.lastTo(email).text));
      await call('PUT', `${program}/page`, { auto_approve_domains: [] });
      const confirmed = await follow('POST', links[0] ?? '');
      expect(confirmed.body).toContain('will review your application');
      expect(await read(path)).toMatchObject({ status: 'pending', application: { approved_by: null } });
      await deliver();
      expect(subjectsTo(owner.email)).toEqual(['3 applications to review: Tea & Co']);
      await call('PUT', moved, { email: newEmail('agency.example') });
      expect((await follow('POST', links[1] ?? '', {})).status).toBe(400);
      expect((await read(moved)).application.email_confirmed_at).toBeNull();
      world.clock.now += 7 * DAY;
      expect((await follow('GET', links[2] ?? '', {})).status).toBe(400);
      expect((await follow('POST', links[2] ?? '', {})).status).toBe(400);
      const lateId = Number(late.split('/').at(-1));
      const rows = world.engine.read.selectFrom('applications').where('partner_id', '=', lateId);
      expect(await rows.select('email_confirmed_at').execute()).toEqual([{ email_confirmed_at: null }]);
      const foreign = linkIn(mailer.lastTo(emails[0] ?? '').text).replace('confirm-address', 'unsubscribe');
      for (const link of [foreign, forge(links[0] ?? ''), 'api/v1/email/confirm-address']) {
        expect(await follow('POST', link, {})).toMatchObject({ body: { code: 'email_link_invalid' } });
      }
    });

    it('an unconfirmed address gets no text of the applicant, even with a valid invitation code', async () => {
      const email = newEmail();
      await apply({ email, name: 'Visit evil.example', invitation_code: 'SPRING' });
      await deliver();
      expect(subjectsTo(email)).toEqual(['Welcome to the partner program of Tea & Co']);
      expect(JSON.stringify(sentTo(email))).not.toContain('evil.example');
      expect(sentTo(owner.email)).toEqual([]);
    });
  });

  describe('many applications', () => {
    it('reviewers get one email per hour and program; members who cannot review get none', async () => {
      const viewer = await world.signUp([{ workspaceId: owner.workspaceId, role: 'member' }]);
      world.clock.now = Math.ceil(world.clock.now / HOUR) * HOUR;
      for (let sent = 0; sent < 4; sent++) {
        await apply({ email: newEmail() });
        await deliver();
      }
      expect(subjectsTo(owner.email)).toEqual(['1 application to review: Tea & Co']);
      world.clock.now += HOUR;
      await deliver();
      await deliver();
      expect(subjectsTo(owner.email).slice(1)).toEqual(['4 applications to review: Tea & Co']);
      expect(sentTo(viewer.email)).toEqual([]);
    });

    it('applications cause at most five emails per hour to the same address', async () => {
      const email = newEmail();
      for (let sent = 0; sent < 7; sent++) {
        await apply({ email, invitation_code: 'SPRING' });
        await openProgram();
      }
      await deliver();
      expect(sentTo(email)).toHaveLength(5);
    });
  });

  describe('an invitation', () => {
    it('is sent again on request, at most five times per hour; each new email invalidates the earlier link', async () => {
      const email = newEmail();
      const created = await call<ItemOf<{ id: number; invite_token: string }>>(
        'POST',
        `${program}/partners`,
        {
          name: 'Ida',
          email,
        },
      );
      const { id, invite_token: first } = created.body.data;
      const path = `${program}/partners/${id}/invite`;
      const again = await call<ItemOf<{ invite_token: string }>>('POST', path);
      expect(again).toMatchObject({ status: 201, body: { data: { invite_delivery: 'email' } } });
      await deliver();
      // The first link became invalid before its email was sent, so this email is not sent.
      expect(sentTo(email).map(linkCodeIn)).toEqual([again.body.data.invite_token]);
      const stale = { body: { token: first, password: PASSWORD } };
      expect((await world.call('POST', '/api/auth/accept-invite', stale)).status).toBe(400);
      const statuses = [];
      for (let sent = 0; sent < 5; sent++) statuses.push((await call('POST', path)).status);
      expect(statuses).toEqual([201, 201, 201, 201, 429]);
      const member = { name: 'Mia', email: newEmail(), role: 'viewer', workspace_id: owner.workspaceId };
      const added = await call<ItemOf<{ id: number }>>('POST', '/api/advertiser/members', member);
      const invited = await call('POST', `/api/advertiser/members/${added.body.data.id}/invite`);
      expect(invited).toMatchObject({ status: 201, body: { data: { invite_delivery: 'email' } } });
      const outsider = await world.owner();
      expect((await call('POST', path, undefined, outsider.token)).status).toBe(404);
    });
  });

  describe('a payout', () => {
    const EVENTS = ['payout_created', 'payout_failed', 'payout_failed', 'payout_paid'] as const;
    /**
     * Adds a payout, queues an email for each of `EVENTS`, changes the payout, and then sends the emails.
     * @returns the partner's email address
     */
    const addPayout = async (
      change: Partial<Pick<PayoutRow, 'status' | 'amount_cents'>> = { status: 'pending' },
    ) => {
      const email = newEmail();
      const { body } = await call<ItemOf<{ id: number }>>('POST', `${program}/partners`, {
        name: 'I',
        email,
      });
      const { runtime } = world.affkit;
      await runtime.engine.write(owner.workspaceId, async (tx) => {
        const values = { program_id: programId, partner_id: body.data.id, currency: 'JPY' };
        const times = { status: 'pending' as const, amount_cents: 1990, created_at: world.clock.now };
        const inserted = tx.db.insertInto('payouts').values({ ...values, ...times });
        const payout = await inserted.returningAll().executeTakeFirstOrThrow();
        for (const kind of EVENTS) {
          const detail = kind === 'payout_failed' ? 'No such\r\naccount <b>' : null;
          await queuePayoutEmail(tx, runtime, payout, { kind, detail });
        }
        await updatePayout(tx, payout, change);
      });
      await deliver();
      return email;
    };
    const payoutSubjectsTo = (email: string) =>
      subjectsTo(email)
        .filter((subject) => !subject.includes('invites'))
        .toSorted();

    it('sends one email per event, even if the email is queued twice', async () => {
      const email = await addPayout();
      expect(payoutSubjectsTo(email)).toEqual([
        'A payout failed: 1990 JPY, Tea & Co',
        'A payout is on its way: 1990 JPY, Tea & Co',
        'You have been paid: 1990 JPY, Tea & Co',
      ]);
      const failed = sentTo(email).find(({ subject }) => subject.startsWith('A payout failed'));
      expect(failed?.text).toContain('Reason: No such account <b>');
      expect(failed?.text).toMatch(new RegExp(`https://affkit.test/app/partner/${programId}/payouts/\\d+\n`));
      expect(failed?.html).toContain('No such account &lt;b&gt;');
    });

    it('emails about a payout are not sent if they are already out of date', async () => {
      const paid = ['You have been paid: 1990 JPY, Tea & Co'];
      expect(payoutSubjectsTo(await addPayout({ status: 'paid' }))).toEqual(paid);
      expect(payoutSubjectsTo(await addPayout({ status: 'cancelled' }))).toEqual(paid);
      const created = /on its way/;
      const lowered = payoutSubjectsTo(await addPayout({ amount_cents: 500 }));
      expect(lowered.find((subject) => created.test(subject))).toContain(': 500 JPY,');
      expect(payoutSubjectsTo(await addPayout({ amount_cents: 0 })).join()).not.toMatch(created);
    });
  });

  describe('emails that can be turned off', () => {
    it('one click turns off one kind of email for one address; the account page turns it on again', async () => {
      const preferences = '/api/auth/email-preferences';
      await apply({ email: newEmail() });
      await deliver();
      const message = mailer.lastTo(owner.email);
      const link = linkIn(message.headers['List-Unsubscribe']?.slice(1, -1));
      expect(message.headers).toMatchObject({
        'List-Unsubscribe': `<https://affkit.test/${link}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      });
      expect(message.text).toContain(`https://affkit.test/${link}`);
      expect(link).not.toContain(owner.email);
      expect((await follow('GET', link)).body).toContain('<form method="post">');
      const all = { review_tasks: true, commission_changes: true, monthly_summary: true };
      expect((await call('GET', preferences)).body).toEqual({ success: true, data: all });
      expect((await follow('POST', link, {})).status).toBe(200);
      expect((await follow('POST', link, {})).status).toBe(200);
      const data = { ...all, review_tasks: false };
      expect((await call('GET', preferences)).body).toEqual({ success: true, data });
      const other = await world.signUp();
      expect((await call('GET', preferences, undefined, other.token)).body).toMatchObject({ data: all });
      world.clock.now += 2 * HOUR;
      await apply({ email: newEmail() });
      await deliver();
      expect(sentTo(owner.email)).toHaveLength(1);
      await call('PUT', preferences, { review_tasks: true });
      world.clock.now += 2 * HOUR;
      await apply({ email: newEmail() });
      await deliver();
      expect(sentTo(owner.email)).toHaveLength(2);
    });

    it('an email that cannot be turned off has no unsubscribe link', async () => {
      const email = newEmail();
      await apply({ email });
      await deliver();
      expect(Object.keys(mailer.lastTo(email).headers)).toEqual(['Auto-Submitted']);
      expect(mailer.lastTo(email).text).not.toContain('unsubscribe');
    });
  });

  describe('recurring emails', () => {
    it('partners with results get a monthly summary', async () => {
      const [active, idle] = [newEmail(), newEmail()];
      const path = await apply({ email: active, invitation_code: 'SPRING' });
      await apply({ email: idle, invitation_code: 'SPRING' });
      const partner = (await call<ItemOf<{ links: { url: string }[] }>>('GET', path)).body.data;
      world.clock.now = Date.UTC(2026, 3, 20, 12);
      const click = { body: { affiliate_url: partner.links[0]?.url } };
      expect((await world.call('POST', '/api/v1/track/click', click)).status).toBe(200);
      await deliver();
      mailer.accepted.length = 0;
      world.clock.now = Date.UTC(2026, 4, 1, 5, 59);
      await deliver();
      expect(sentTo(active)).toEqual([]);
      world.clock.now = Date.UTC(2026, 4, 1, 6);
      await runConcurrently(3, deliver);
      world.clock.now += DAY;
      await deliver();
      const [summary, ...others] = sentTo(active);
      expect([others, sentTo(idle)]).toEqual([[], []]);
      expect(summary).toMatchObject({
        subject: 'Your April 2026 with Tea & Co',
        text: expect.stringContaining('Clicks: 1\nSign-ups: 0\nSales: 0\nCommissions: none'),
        headers: { 'List-Unsubscribe': expect.stringContaining('https://affkit.test/') },
      });
    });

    it('members get a weekly list of the open tasks that they may decide', async () => {
      await apply({ email: newEmail() });
      await deliver();
      mailer.accepted.length = 0;
      // A Monday.
      world.clock.now = Date.UTC(2026, 5, 15, 6);
      await runConcurrently(3, deliver);
      world.clock.now += DAY;
      await deliver();
      expect(subjectsTo(owner.email)).toEqual(['Your open tasks at Acme']);
      expect(mailer.lastTo(owner.email).text).toContain('Tea & Co: 1 application to review');
    });
  });
}
