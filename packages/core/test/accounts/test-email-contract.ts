import { EMAIL_TEMPLATES } from '@affkit/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendTestEmail } from '../../src/management/test-emails.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, runConcurrently, type SignedUp, type World } from '../support/management-world.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const EMAILS = '/api/advertiser/emails';
const MINUTE = 60_000;

interface Template {
  readonly template: string;
  readonly category: string | null;
  readonly is_transactional: boolean;
  readonly from: { readonly name: string; readonly address: string | null };
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}
interface ItemOf<T> {
  readonly data: T;
}

export function testEmailContract(open: OpenEngine): void {
  let world: World;
  let mailer: TestMailer;
  let owner: SignedUp & { readonly workspaceId: number };
  let programId: number;

  beforeAll(async () => {
    mailer = createTestMailer();
    world = await openWorld(open, { mailer, publicUrl: 'https://affkit.test/' });
    owner = await world.owner();
    programId = await createProgram(owner.token, 'Tea & Co');
    const page = { accent_color: '#aa0000' };
    await call('PUT', `${PROGRAMS}/${programId}/page`, { body: page });
  });
  afterAll(() => world.close());

  const call = <T = unknown>(
    method: string,
    path: string,
    { body, token = owner.token }: { readonly body?: unknown; readonly token?: string } = {},
  ) => world.call<T>(method, path, { token, body });
  const createProgram = async (token: string, name: string) => {
    const program = { name, site_url: 'https://tea.example', commission: { type: 'percent', rate: 20 } };
    return (await call<ItemOf<{ id: number }>>('POST', PROGRAMS, { body: program, token })).body.data.id;
  };
  const templatesOf = (id: number, token?: string) =>
    call<ItemOf<Template[]> & { meta: unknown }>('GET', `${PROGRAMS}/${id}/email-templates`, {
      ...(token !== undefined && { token }),
    });
  const sendTest = (template: string, { id = programId, token = owner.token } = {}) =>
    call<ItemOf<Record<string, unknown>>>('POST', `${EMAILS}/test`, {
      body: { program_id: id, template },
      token,
    });
  const listed = async (query: string) => {
    const path = `${EMAILS}?workspace_id=${owner.workspaceId}&${query}`;
    return (await call<ItemOf<Record<string, unknown>[]>>('GET', path)).body.data;
  };

  describe('the templates', () => {
    it('each email template is filled in with example values and has the name of its sender', async () => {
      const { body } = await templatesOf(programId);
      expect(body.meta).toEqual({ delivery: 'email' });
      expect(body.data.map(({ template }) => template)).toEqual(EMAIL_TEMPLATES);
      const find = (template: string) => body.data.find((each) => each.template === template);
      expect(find('payout_paid')).toMatchObject({
        category: null,
        is_transactional: true,
        from: { name: 'Tea & Co', address: 'affiliates@shop.example' },
        subject: 'You have been paid: 148.50 USD, Tea & Co',
        text: expect.stringContaining('Reference: TR-2026-0042'),
        html: expect.stringContaining('3px solid #aa0000'),
      });
      expect(find('monthly_summary')).toMatchObject({
        category: 'monthly_summary',
        is_transactional: false,
        text: expect.stringContaining('/api/v1/email/unsubscribe?token=EXAMPLE'),
      });
      for (const template of ['commission_refunded', 'commission_reversed']) {
        expect(find(template)?.['text']).toContain('Commission: #42');
        expect(find(template)?.['text']).toContain('/app/partner/earnings/42');
      }
      expect(find('password_reset')?.from.name).toBe('Tea Shop affiliates');
      expect(find('member_invitation')?.from.name).toBe('Acme');
    });

    it('are shown as a page without scripts and links; only pages of the service can show this page in a frame', async () => {
      const path = `${PROGRAMS}/${programId}/email-templates/preview`;
      const { status, headers, body } = await call<string>('GET', `${path}?template=payout_paid`);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; .*frame-ancestors 'self'; sandbox$/,
      );
      expect(body).toContain('Tea &amp; Co has paid your commissions.');
      expect(body).not.toMatch(/<script|href=/);
      expect((await call('GET', `${path}?template=test`)).status).toBe(400);
      expect((await call('GET', path)).status).toBe(400);
    });
  });

  describe('a test email', () => {
    it('is sent like a real email, to the user who requests it', async () => {
      const { status, body } = await sendTest('monthly_summary');
      const row = { kind: 'test', recipient: owner.email, program_id: programId };
      const at = new Date(world.clock.now).toISOString();
      expect([status, body.data]).toMatchObject([201, { ...row, status: 'queued', next_attempt_at: at }]);
      await world.affkit.jobs.runOnce();
      const message = mailer.lastTo(owner.email);
      expect(message).toMatchObject({
        from: { name: 'Tea & Co' },
        subject: 'Test: Your January 2026 with Tea & Co',
      });
      expect(message.text).toContain('Stop monthly summaries');
      expect(message.headers).not.toHaveProperty('List-Unsubscribe');
      expect(await listed('kind=test')).toMatchObject([{ ...row, status: 'sent', next_attempt_at: null }]);
    });

    it('is listed with the reason and the next attempt when the mail server postpones it', async () => {
      mailer.onSend = () => {
        throw new Error('421 Try again later');
      };
      await sendTest('payout_paid');
      await world.affkit.jobs.runOnce();
      mailer.onSend = () => {};
      const next_attempt_at = new Date(world.clock.now + 15_000).toISOString();
      const filter = `status=queued&program_id=${programId}&q=${owner.email.toUpperCase()}`;
      expect(await listed(filter)).toMatchObject([
        { attempts: 1, error: '421 Try again later', next_attempt_at, finished_at: null },
      ]);
      expect(await listed('q=nobody')).toEqual([]);
      expect(await listed('kind=payout_paid')).toEqual([]);
      expect(await listed(`program_id=${programId + 1}`)).toEqual([]);
    });

    it('can be sent 20 times within an hour', async () => {
      world.clock.now += 61 * MINUTE;
      const replies = await runConcurrently(22, () => sendTest('payout_failed'));
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
      const rejected = replies.filter(({ status }) => status === 429);
      expect(rejected.map(({ headers }) => headers['retry-after'])).toEqual(['3600', '3600']);
      world.clock.now += 61 * MINUTE;
      expect((await sendTest('payout_failed')).status).toBe(201);
    });

    it('can be sent only by owners and admins of the program', async () => {
      const outsider = await world.owner();
      const foreign = await createProgram(outsider.token, 'Coffee');
      for (const id of [foreign, 999_999]) {
        expect((await sendTest('payout_paid', { id })).body).toMatchObject({ code: 'program_not_found' });
        expect((await templatesOf(id)).status).toBe(404);
      }
      const member = await world.signUp([{ workspaceId: owner.workspaceId, role: 'member' }]);
      expect((await sendTest('payout_paid', member)).status).toBe(403);
      expect((await templatesOf(programId, member.token)).status).toBe(403);
      expect(await listed(`q=${member.email}`)).toEqual([]);
    });

    it('is rejected when the service sends no email', async () => {
      const runtime = { ...world.affkit.runtime, mail: null };
      const program = await runtime.findProgram(programId);
      if (program === null) throw new Error('The program is missing');
      const rejection = await sendTestEmail(runtime, program, {
        recipient: owner.email,
        template: 'payout_paid',
      });
      expect(rejection).toMatchObject({ code: 'email_not_set_up' });
    });
  });
}
