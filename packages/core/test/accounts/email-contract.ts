import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliverEmails } from '../../src/jobs/deliver-emails.ts';
import { importPartners } from '../../src/management/import-partners.ts';
import { createProgram } from '../../src/management/programs.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  openWorld,
  PASSWORD,
  runConcurrently,
  type SignedUp,
  type World,
} from '../support/management-world.ts';
import { createTestMailer, linkCodeIn, refuse, type TestMailer } from '../support/test-mailer.ts';
import { unwrap } from '../support/world.ts';

const MEMBERS = '/api/advertiser/members';
const EMAILS = '/api/advertiser/emails';
const PROGRAMS = '/api/advertiser/affiliate-programs';
const REQUEST = '/api/auth/password-reset';
const PROGRAM = {
  name: 'Tea',
  site_url: 'https://tea.example',
  commission: { type: 'percent', rate: 20 },
} as const;
const MINUTE = 60_000;
const DAY = 86_400_000;

interface Invited {
  readonly data: { readonly id: number; readonly invite_token?: string; readonly invite_delivery?: string };
}
interface Emails {
  readonly data: readonly Record<string, unknown>[];
}

export function emailContract(open: OpenEngine): void {
  let world: World;
  let mailer: TestMailer;
  let owner: SignedUp & { readonly workspaceId: number };
  let networks = 0;

  beforeAll(async () => {
    mailer = createTestMailer();
    world = await openWorld(open, { mailer, publicUrl: 'https://affkit.test/' });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    owner = await world.owner();
  });
  afterEach(async () => {
    mailer.onSend = () => {};
    await world.affkit.jobs.runOnce();
  });

  const newEmail = () => `${randomUUID()}@shop.test`;
  const deliver = () => world.affkit.jobs.runOnce();
  const sentTo = (email: string) => mailer.accepted.filter(({ to }) => to.address === email);
  const rowsOf = (recipient: string) =>
    world.engine.read.selectFrom('emails').selectAll().where('recipient', '=', recipient).execute();
  const invite = async (email: string, name = 'Mia') =>
    (
      await world.call<Invited>('POST', MEMBERS, {
        token: owner.token,
        body: { email, name, role: 'admin', workspace_id: owner.workspaceId },
      })
    ).body.data;
  const listed = async (query = '') =>
    (
      await world.call<Emails>('GET', `${EMAILS}?workspace_id=${owner.workspaceId}${query}`, {
        token: owner.token,
      })
    ).body.data;
  const requestReset = (email: string) =>
    world.call('POST', REQUEST, { body: { email }, ip: `198.51.100.${++networks}` });

  describe('an invitation', () => {
    it('an invitation is sent to a new member once, in the name of the workspace, and can be accepted', async () => {
      const email = newEmail();
      const { invite_token: token, invite_delivery: delivery } = await invite(email, 'Mia <b>');
      expect([delivery, sentTo(email).length]).toEqual(['email', 0]);
      await runConcurrently(3, deliver);
      await deliver();
      const [message, ...others] = sentTo(email);
      expect(others).toEqual([]);
      expect(message).toMatchObject({
        from: { address: 'affiliates@shop.example', name: 'Acme' },
        to: { address: email, name: 'Mia <b>' },
        subject: 'Acme invites you to its affiliate dashboard',
        headers: { 'Auto-Submitted': 'auto-generated' },
        messageId: expect.stringMatching(/^<[0-9A-Za-z]{24}@shop\.example>$/),
      });
      expect(message?.text).toContain(`https://affkit.test/app/invite#${token}`);
      expect(message?.html).toContain(`href="https://affkit.test/app/invite#${token}"`);
      expect(message?.html).toContain('Hello Mia &lt;b&gt;,');
      expect(message?.text).toContain('2026-01-22 12:00 UTC');
      const body = { token, password: PASSWORD };
      expect((await world.call('POST', '/api/auth/accept-invite', { body })).status).toBe(200);
    });

    it('an invitation is sent to a partner in the name of the program, after a request or an import', async () => {
      const { runtime } = world.affkit;
      const { program } = unwrap(
        await createProgram(runtime, owner.workspaceId, { ...PROGRAM, name: 'Tea\r\nBcc: x@evil.test' }),
      );
      const [email, imported] = [newEmail(), newEmail()];
      const added = await world.call<Invited>('POST', `${PROGRAMS}/${program.id}/partners`, {
        token: owner.token,
        body: { name: 'Ann', email },
      });
      const { invite_token: token, invite_delivery: delivery } = added.body.data;
      expect(delivery).toBe('email');
      const rows = [{ name: 'Ida', email: imported }];
      await importPartners(runtime, program, rows, { isDryRun: true, programScope: null });
      await deliver();
      expect(sentTo(imported)).toEqual([]);
      await importPartners(runtime, program, rows, { isDryRun: false, programScope: null });
      await deliver();
      expect(sentTo(imported)).toHaveLength(1);
      const [message, ...others] = sentTo(email);
      expect(others).toEqual([]);
      expect(message).toMatchObject({ from: { name: 'Tea Bcc: x@evil.test' }, to: { name: 'Ann' } });
      expect(message?.text).toContain('partner program Tea Bcc: x@evil.test.');
      expect(message?.text).toContain(`https://affkit.test/app/invite#${token}`);
    });

    it('an invitation that was deleted is not sent', async () => {
      const email = newEmail();
      const { id } = await invite(email);
      await world.call('DELETE', `${MEMBERS}/${id}`, { token: owner.token });
      await deliver();
      expect(sentTo(email)).toEqual([]);
      expect(await rowsOf(email)).toEqual([]);
    });

    it('an address gets at most five invitations of a workspace per hour, even if it is removed and added again', async () => {
      const { runtime } = world.affkit;
      const [member, partner, other] = [newEmail(), newEmail(), newEmail()];
      const { token, workspaceId } = owner;
      const { program } = unwrap(await createProgram(runtime, workspaceId, PROGRAM));
      const partners = `${PROGRAMS}/${program.id}/partners`;
      const add = (path: string, body: object) => world.call<Invited>('POST', path, { token, body });
      for (let count = 0; count < 5; count++) {
        const added = await add(MEMBERS, {
          email: member,
          name: 'Mia',
          role: 'viewer',
          workspace_id: workspaceId,
        });
        const enrolled = await add(partners, { email: partner, name: 'Ida' });
        await deliver();
        await world.call('DELETE', `${MEMBERS}/${added.body.data.id}`, { token });
        const path = `${partners}/${enrolled.body.data.id}`;
        await world.call('PUT', path, { token, body: { email: `${count}.${other}` } });
      }
      const again = { email: member, name: 'Mia', role: 'viewer', workspace_id: workspaceId };
      for (const reply of [await add(MEMBERS, again), await add(partners, { email: partner, name: 'Ida' })]) {
        expect(reply).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
        expect(reply.headers['retry-after']).toBe('3600');
      }
      await deliver();
      expect([sentTo(member).length, sentTo(partner).length]).toEqual([5, 5]);
      world.clock.now += 60 * MINUTE;
      expect((await add(MEMBERS, again)).status).toBe(201);
    });

    it('an address gets at most ten decisions about applications per hour from a workspace', async () => {
      const email = newEmail();
      const { token, workspaceId } = owner;
      const { program } = unwrap(await createProgram(world.affkit.runtime, workspaceId, PROGRAM));
      const path = `${PROGRAMS}/${program.id}`;
      await world.call('PUT', `${path}/page`, { token, body: { published: true } });
      const form = `/api/v1/programs/${program.slug}`;
      const { body } = await world.call<{ data: { form_token: string } }>('GET', form);
      world.clock.now += 4_000;
      const application = { name: 'Pat', email, form_token: body.data.form_token };
      await world.call('POST', `${form}/applications`, { body: application });
      await deliver();
      const [partner] = (await world.call<{ data: { id: number }[] }>('GET', `${path}/partners`, { token }))
        .body.data;
      const decide = async (status: string) => {
        world.clock.now += 1_000;
        const change = { status, status_reason: 'Buy now at https://spam.example' };
        await world.call('PUT', `${path}/partners/${partner?.id}`, { token, body: change });
        await deliver();
      };
      for (let count = 0; count < 8; count++) {
        await decide('rejected');
        await decide('approved');
      }
      expect(sentTo(email)).toHaveLength(1 + 10);
      world.clock.now += 60 * MINUTE;
      await decide('rejected');
      expect(sentTo(email)).toHaveLength(1 + 11);
    });

    it('no email is stored when the transaction of the invitation is rolled back', async () => {
      const email = newEmail();
      await invite(email);
      await invite(email);
      expect(await rowsOf(email)).toHaveLength(1);
    });
  });

  describe('a password reset', () => {
    it('stores the same data for every address, and sends a working link only to users', async () => {
      const { email } = await world.signUp();
      const unknown = newEmail();
      const replies = [await requestReset(` ${email.toUpperCase()}`), await requestReset(unknown)];
      for (const reply of replies) {
        expect(reply).toMatchObject({ status: 200, body: { success: true, delivery: 'email' } });
      }
      const stored = (await Promise.all([email, unknown].map(rowsOf))).map(([row]) => {
        return { ...row, id: 0, message_key: '', recipient: '' };
      });
      expect(stored[0]).toEqual(stored[1]);
      await deliver();
      expect(sentTo(unknown)).toEqual([]);
      expect(await rowsOf(unknown)).toEqual([]);
      const message = mailer.lastTo(email);
      expect(message).toMatchObject({
        from: { name: 'Tea Shop affiliates' },
        subject: 'Set a new password for affkit.test',
      });
      const code = linkCodeIn(message);
      expect(message.text).toContain(`https://affkit.test/app/reset#${code}`);
      const body = { token: code, password: 'another battery horse' };
      expect((await world.call('POST', `${REQUEST}/confirm`, { body })).status).toBe(200);
    });

    it('sends one email for concurrent requests, and at most five per hour', async () => {
      const { email } = await world.signUp();
      await runConcurrently(5, () => requestReset(email));
      await deliver();
      expect(sentTo(email)).toHaveLength(1);
      for (let count = 0; count < 6; count++) {
        await requestReset(email);
        await deliver();
      }
      expect(sentTo(email)).toHaveLength(5);
      world.clock.now += 61 * MINUTE;
      await requestReset(email);
      await deliver();
      expect(sentTo(email)).toHaveLength(6);
    });

    it('sends the same link and message id again after a failure, and gives up after 30 minutes', async () => {
      const { email } = await world.signUp();
      const attempts: string[] = [];
      const log = vi.spyOn(world.affkit.runtime.log, 'error');
      mailer.onSend = ({ messageId, text, to }) => {
        attempts.push(`${messageId} ${text}`);
        throw new Error(`421 Try again later <${to.address}>`);
      };
      await requestReset(email);
      await deliver();
      await deliver();
      expect(attempts).toHaveLength(1);
      expect(JSON.stringify(log.mock.calls)).toContain('421 Try again later <(recipient)>');
      world.clock.now += 15_000;
      await deliver();
      expect(attempts).toEqual([attempts[0], attempts[0]]);
      world.clock.now += 29_999;
      await deliver();
      expect(attempts).toHaveLength(2);
      world.clock.now += 30 * MINUTE;
      await deliver();
      expect(attempts).toHaveLength(2);
      const error = `421 Try again later <${email}>`;
      expect(await rowsOf(email)).toMatchObject([
        { status: 'failed', last_error: error, sealed_token: null },
      ]);
    });

    it('sends a new link after a failure if a change of the password has invalidated the first link', async () => {
      const { email, token } = await world.signUp();
      mailer.onSend = () => {
        throw new Error('421 Try again later');
      };
      await requestReset(email);
      await deliver();
      const change = { password: PASSWORD, new_password: 'another battery horse' };
      expect((await world.call('POST', '/api/auth/password', { token, body: change })).status).toBe(200);
      mailer.onSend = () => {};
      await requestReset(email);
      world.clock.now += 15_000;
      await deliver();
      const body = { token: linkCodeIn(mailer.lastTo(email)), password: 'a third battery horse' };
      expect((await world.call('POST', `${REQUEST}/confirm`, { body })).status).toBe(200);
    });
  });

  describe('the outbox', () => {
    it('shows a refused email to owners, does not retry it, and deletes it after 30 days', async () => {
      const email = newEmail();
      mailer.onSend = refuse;
      await invite(email);
      const row = {
        kind: 'member_invitation',
        recipient: email,
        workspace_id: owner.workspaceId,
        program_id: null,
      };
      const created_at = new Date(world.clock.now).toISOString();
      expect(await listed()).toMatchObject([
        { ...row, status: 'queued', attempts: 0, finished_at: null, created_at },
      ]);
      await deliver();
      mailer.onSend = () => {};
      world.clock.now += 60 * MINUTE;
      await deliver();
      expect(sentTo(email)).toEqual([]);
      expect(await listed('&status=failed')).toMatchObject([
        {
          ...row,
          status: 'failed',
          attempts: 1,
          error: '550 5.1.1 No such mailbox',
          finished_at: created_at,
        },
      ]);
      expect(await listed('&status=sent')).toEqual([]);
      world.clock.now += 30 * DAY;
      await deliver();
      expect(await rowsOf(email)).toEqual([]);
    });

    it('encrypts the link of an email, and deletes the link after the email was sent', async () => {
      const email = newEmail();
      const { invite_token: token = '' } = await invite(email);
      const [queued] = await rowsOf(email);
      expect(JSON.stringify(queued)).not.toContain(token);
      expect(queued?.sealed_token).toEqual(expect.any(String));
      await deliver();
      expect(await rowsOf(email)).toMatchObject([{ status: 'sent', sealed_token: null, last_error: null }]);
    });

    it('sends an email again when the process ended before the result was stored', async () => {
      const email = newEmail();
      const sent: string[] = [];
      const { promise: reply, resolve: release } = Promise.withResolvers<void>();
      mailer.onSend = async ({ messageId, to }) => {
        if (to.address !== email) return;
        sent.push(messageId);
        if (sent.length === 1) await reply;
      };
      await invite(email);
      const stuck = deliverEmails(world.affkit.runtime);
      await vi.waitFor(() => expect(sent).toHaveLength(1));
      world.clock.now += 179_999;
      await deliver();
      expect(sent).toHaveLength(1);
      world.clock.now += 1;
      await deliver();
      expect(sent).toEqual([sent[0], sent[0]]);
      release();
      await stuck;
      expect(await rowsOf(email)).toMatchObject([{ status: 'sent', attempts: 2 }]);
    });

    it('sends a password reset before the invitations of an import', async () => {
      const order: string[] = [];
      mailer.onSend = ({ to }) => void order.push(to.address);
      const { runtime } = world.affkit;
      const { program } = unwrap(await createProgram(runtime, owner.workspaceId, PROGRAM));
      const rows = Array.from({ length: 20 }, () => ({ name: 'Ida', email: newEmail() }));
      await importPartners(runtime, program, rows, { isDryRun: false, programScope: null });
      const { email } = await world.signUp();
      await requestReset(email);
      await deliver();
      expect(order).toHaveLength(21);
      expect(order.indexOf(email)).toBeLessThan(10);
    });

    it('keeps sending when one recipient is slow', async () => {
      const [slow, fast] = [newEmail(), newEmail()];
      let release = () => {};
      mailer.onSend = ({ to }) =>
        to.address === slow ? new Promise((resolve) => (release = () => resolve())) : undefined;
      await invite(slow);
      await invite(fast);
      const delivered = deliver();
      await vi.waitFor(() => expect(sentTo(fast)).toHaveLength(1));
      release();
      await delivered;
      expect(sentTo(slow)).toHaveLength(1);
    });
  });
}
