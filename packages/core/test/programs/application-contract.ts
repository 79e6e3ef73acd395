import { describe, expect, it } from 'vitest';
import { type DataOf, QUESTIONS, RECEIVED, useApplicationWorld } from '../support/application-world.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, PASSWORD, runConcurrently } from '../support/management-world.ts';

/** A PNG image of one pixel. */
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Invited = DataOf<{ readonly invite_token?: string; readonly invite_delivery?: string }>;

export function applicationContract(open: OpenEngine): void {
  const shop = useApplicationWorld(open);
  const {
    call,
    publish,
    newEmail,
    readPublic,
    loadForm,
    send,
    apply,
    listPartners,
    firstPartner,
    listNotifications,
  } = shop;

  describe('the page of a program', () => {
    it('a page is empty and hidden until it is published, and then shows terms and questions to everyone', async () => {
      expect((await readPublic()).status).toBe(404);
      expect((await call('GET', `${shop.program}/page`)).body).toMatchObject({
        data: { published: false, questions: [], invitation_codes: [] },
      });
      const settings = {
        description: 'Tea <b>for</b> you',
        terms: 'Be nice.',
        logo: LOGO,
        accent_color: '#0A7D4F',
        embed_origins: ['https://blog.example/', 'https://blog.example'],
        auto_approve_domains: ['Agency.example'],
        invitation_codes: ['SPRING'],
      };
      expect(await publish(settings)).toMatchObject({
        status: 200,
        body: {
          data: {
            ...settings,
            accent_color: '#0a7d4f',
            embed_origins: ['https://blog.example'],
            auto_approve_domains: ['agency.example'],
            questions: QUESTIONS,
          },
        },
      });
      const shown = await readPublic();
      expect(shown.headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(shown.body).toEqual({
        success: true,
        data: {
          name: 'Tea Shop',
          slug: shop.slug,
          site_url: 'https://shop.example/',
          currency: 'USD',
          cookie_window_days: 60,
          hold_days: 0,
          commission: {
            type: 'percent',
            rate: 20,
            recurring_months: null,
            text: 'You earn 20% of each sale. Each renewal of a subscription earns a commission too.',
          },
          description: settings.description,
          terms: settings.terms,
          logo: LOGO,
          accent_color: '#0a7d4f',
          questions: QUESTIONS,
          takes_invitation_code: true,
          captcha: null,
          form_token: expect.any(String),
        },
      });
      await call('PUT', `${shop.program}/page`, { published: false, terms: null });
      expect((await readPublic()).status).toBe(404);
      expect((await call('GET', `${shop.program}/page`)).body).toMatchObject({
        data: { terms: null, description: settings.description },
      });
      const audit = await call<DataOf<object[]>>(
        'GET',
        '/api/advertiser/audit-log?action=program.update_page',
      );
      expect(audit.body.data[0]).toMatchObject({ after: { published: false, terms: null } });
      expect(JSON.stringify(audit.body)).not.toContain(LOGO.slice(30));
    });

    it('rejects settings that are not valid', async () => {
      const [first] = QUESTIONS;
      const manyQuestions = Array.from({ length: 21 }, (_, index) => ({ ...first, id: `q${index}` }));
      const wrong: Readonly<Record<string, unknown>> = {
        logo: 'data:image/svg+xml;base64,PHN2Zz4=',
        accent_color: 'red;}',
        embed_origins: ['*'],
        auto_approve_domains: ['example'],
        invitation_codes: ['no'],
        description: 'x'.repeat(5_001),
        questions: manyQuestions,
      };
      for (const [name, value] of Object.entries(wrong)) {
        const reply = await publish({ [name]: value });
        expect(reply, name).toMatchObject({ status: 400, body: { error: expect.stringContaining(name) } });
      }
      for (const question of [
        { ...first, options: ['a'] },
        { ...first, type: 'choice' },
        { ...first, id: 'A b' },
      ]) {
        expect((await publish({ questions: [question] })).status).toBe(400);
      }
      expect((await publish({ questions: [first, first] })).status).toBe(400);
      // In the page's content security policy, these origins would allow scripts of another site, or end the policy.
      for (const origin of ['https://a;script-src', 'https://a,b.example', "https://'none'"]) {
        const reply = await publish({ embed_origins: [origin, 'https://evil.example'] });
        expect(reply, origin).toMatchObject({
          status: 400,
          body: { error: 'each of embed_origins must be an origin such as https://shop.example' },
        });
      }
      expect((await publish({ logo: `data:image/jpeg;base64,${LOGO.split(',')[1]}` })).status).toBe(400);
    });
  });

  describe('an application', () => {
    it('creates a pending partner with the answers, and the advertiser can approve the partner', async () => {
      await publish({ terms: 'Be nice.' });
      const email = newEmail();
      const about = '<script>alert(1)</script>\nTea & more';
      const answers = [
        { question: 'about', answer: about },
        { question: 'blog', answer: ' https://blog.example/ ' },
      ];
      expect(await apply({ email, answers })).toMatchObject({
        body: { error: 'terms_accepted must be true' },
      });
      expect(await apply({ email: email.toUpperCase(), answers, terms_accepted: true })).toMatchObject(
        RECEIVED,
      );
      const { path, data } = await firstPartner();
      const appliedAt = new Date(shop.world.clock.now).toISOString();
      expect(data).toMatchObject({
        name: 'Pat',
        email,
        status: 'pending',
        status_reason: null,
        applied_at: appliedAt,
        application: {
          applied_at: appliedAt,
          answers: [
            { question: 'blog', label: 'Your blog', type: 'url', answer: 'https://blog.example/' },
            { question: 'about', label: 'About you', type: 'long_text', answer: about },
          ],
          invitation_code: null,
          approved_by: null,
          email_confirmed_at: null,
        },
      });
      const click = { body: { affiliate_url: `https://shop.example/?aff=${data.links[0]?.short_link}` } };
      expect((await shop.world.call('POST', '/api/v1/track/click', click)).body).toMatchObject({
        code: 'link_inactive',
      });
      await publish({ questions: [] });
      const approved = await call<Invited>('PUT', path, { status: 'approved' });
      expect(approved.body).toMatchObject({
        data: { status: 'approved', application: { answers: [{ label: 'Your blog' }, {}] } },
      });
      // Without a mailer, the reply contains the token of the invitation, which the advertiser passes on.
      const { invite_token: token, invite_delivery: delivery } = approved.body.data;
      expect(delivery).toBeUndefined();
      const accept = { body: { token, password: PASSWORD } };
      expect((await shop.world.call('POST', '/api/auth/invite', { body: { token } })).body).toMatchObject({
        data: { kind: 'partner', email, name: 'Pat', role: null },
      });
      expect((await shop.world.call('POST', '/api/auth/accept-invite', accept)).status).toBe(200);
      const again = await call<Invited>('POST', `${path}/invite`);
      expect(again).toMatchObject({
        status: 409,
        body: { error: 'The partner already has an account, and can sign in without an invitation' },
      });
      expect((await shop.world.call('POST', '/api/v1/track/click', click)).body).toMatchObject({
        success: true,
      });
      const partner = { partner_id: data.id };
      expect(await listNotifications()).toEqual([
        {
          kind: 'application_received',
          partner_id: null,
          payload: { partnerId: data.id, partnerName: 'Pat' },
        },
        { kind: 'application_approved', ...partner, payload: { reason: null } },
      ]);
      const audit = await call<DataOf<object[]>>(
        'GET',
        `/api/advertiser/audit-log?subject=partner:${data.id}`,
      );
      expect(audit.body.data).toMatchObject([
        { action: 'partner.accept_invite' },
        { action: 'partner.invite' },
        { action: 'partner.update', after: { status: 'approved' } },
        { action: 'partner.apply', actor: { kind: 'system' }, after: { email, status: 'pending' } },
      ]);
    });

    it('an application is rejected with a reason; a later status change removes the reason', async () => {
      await publish();
      await apply({ email: newEmail() });
      const { path, data } = await firstPartner();
      const reason = 'Your blog is not about tea.';
      expect((await call('PUT', path, { status_reason: reason })).status).toBe(400);
      const rejected = await call('PUT', path, { status: 'rejected', status_reason: reason });
      expect(rejected.body).toMatchObject({ data: { status: 'rejected', status_reason: reason } });
      expect((await call('PUT', path, { name: 'Pat P' })).body).toMatchObject({
        data: { status: 'rejected', status_reason: reason },
      });
      expect((await call('PUT', path, { status: 'pending' })).body).toMatchObject({
        data: { status_reason: null },
      });
      const bulk = { ids: [data.id], action: 'approve' };
      expect((await call('POST', `${shop.program}/partners/bulk`, bulk)).status).toBe(200);
      expect((await listNotifications()).map(({ kind }) => kind)).toEqual([
        'application_received',
        'application_rejected',
        'application_approved',
      ]);
    });

    it('an invitation code approves the application at once; the domain of an unconfirmed email address does not', async () => {
      await publish({ auto_approve_domains: ['agency.example'], invitation_codes: ['SPRING'] });
      const cases = [
        [{ email: 'a@agency.example' }, 'pending', null],
        [{ email: 'b@blog.example', invitation_code: 'SPRING' }, 'approved', 'invitation_code'],
        [{ email: 'c@blog.example', invitation_code: 'spring' }, 'pending', null],
        [{ email: 'd@sub.agency.example' }, 'pending', null],
        [{ email: 'e@agency.example.evil.example' }, 'pending', null],
      ] as const;
      for (const [fields, status, approvedBy] of cases) {
        expect(await apply(fields)).toMatchObject(RECEIVED);
        const { data } = await firstPartner();
        expect(data).toMatchObject({
          ...{ email: fields.email },
          status,
          application: { approved_by: approvedBy },
        });
      }
    });

    it('an application of an enrolled partner gets the usual reply, and does not change the partner', async () => {
      await publish({ auto_approve_domains: ['blog.example'] });
      const email = newEmail();
      await call('POST', `${shop.program}/partners`, { name: 'Pat Banned', email });
      const { path } = await firstPartner();
      await call('PUT', path, { status: 'banned' });
      expect(await apply({ email, name: 'Other' })).toMatchObject(RECEIVED);
      expect(await listPartners()).toMatchObject([
        { name: 'Pat Banned', status: 'banned', applied_at: null },
      ]);
      const twice = newEmail();
      const form_token = await loadForm();
      const replies = await runConcurrently(4, () => send({ email: twice, form_token }));
      expect(countStatuses(replies)).toEqual({ 200: 4 });
      expect(await listPartners()).toHaveLength(2);
      expect(await listNotifications()).toHaveLength(1);
    });

    it('is rejected if an answer is not valid', async () => {
      await publish();
      const blog = { question: 'blog', answer: 'https://blog.example' };
      const wrong = [
        [[], 'The question "Your blog" must be answered'],
        [[{ ...blog, answer: 'javascript:alert(1)' }], 'must be an http or https URL'],
        [[{ ...blog, answer: 'https://user:pass@blog.example' }], 'must be an http or https URL'],
        [[blog, { question: 'size', answer: 'huge' }], 'must be one of its options'],
        [[blog, { question: 'other', answer: 'x' }], 'does not ask'],
        [[blog, blog], 'at most one answer to each question'],
        [[blog, { question: 'about', answer: 'x'.repeat(2_001) }], 'at most 2000 characters'],
      ] as const;
      const form_token = await loadForm();
      for (const [answers, text] of wrong) {
        const reply = await send({ email: newEmail(), answers, form_token });
        expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining(text) } });
      }
      const largest = [blog, { question: 'about', answer: '漢'.repeat(2_000) }];
      expect(await send({ email: newEmail(), answers: largest, form_token })).toMatchObject(RECEIVED);
    });
  });
}
