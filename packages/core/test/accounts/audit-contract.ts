import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  openWorld,
  PASSWORD,
  runConcurrently,
  type SignedUp,
  type World,
} from '../support/management-world.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const KEYS = '/api/advertiser/api-keys';
const MEMBERS = '/api/advertiser/members';
const LOG = '/api/advertiser/audit-log?pageSize=100';

interface Created {
  readonly data: Readonly<Record<string, unknown>> & { readonly id: number };
}
interface AuditEntry {
  readonly id: number;
  readonly program_id: number | null;
  readonly actor: { readonly kind: string; readonly id: number | null; readonly email: string | null };
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: number };
  readonly before: unknown;
  readonly after: unknown;
  readonly request_id: string | null;
}

export function auditContract(open: OpenEngine): void {
  let world: World;
  let owner: SignedUp & { readonly workspaceId: number };
  let programId: number;
  let program: string;

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    owner = await world.owner();
    const body = {
      name: 'Shop',
      site_url: 'https://shop.example',
      commission: { type: 'percent', rate: 10 },
    };
    programId = (await call('POST', PROGRAMS, body)).body.data.id;
    program = `${PROGRAMS}/${programId}`;
  });

  const call = (method: string, path: string, body?: unknown, token = owner.token) =>
    world.call<Created>(method, path, { token, body });
  /** Returns the entries, oldest first. */
  const entries = async (): Promise<AuditEntry[]> => {
    const reply = await world.call<{ data: AuditEntry[] }>('GET', LOG, { token: owner.token });
    return [...reply.body.data].reverse();
  };
  const actions = async () => (await entries()).map((entry) => entry.action);

  it('records the actor, the request and the changed fields', async () => {
    const reply = await call('PUT', program, { name: 'Store', hold_days: 0 });
    const last = (await entries()).at(-1);
    expect(last).toEqual({
      id: expect.any(Number),
      workspace_id: owner.workspaceId,
      program_id: programId,
      actor: { kind: 'user', id: owner.userId, email: owner.email },
      action: 'program.update',
      subject: { kind: 'program', id: programId },
      before: { name: 'Shop' },
      after: { name: 'Store' },
      request_id: reply.headers['x-request-id'],
      created_at: new Date(world.clock.now).toISOString(),
    });
    const created = await call('POST', KEYS, { name: 'CI' });
    const secret = String(created.body.data['key']);
    await call('POST', `${program}/go-live`, undefined, secret);
    expect((await entries()).at(-1)).toMatchObject({
      actor: { kind: 'key', id: created.body.data.id, email: null },
      action: 'program.go_live',
      before: { status: 'draft' },
      after: { status: 'live' },
    });
  });

  it('records each kind of change, without secrets', async () => {
    const secrets: unknown[] = [PASSWORD];
    const recordSecrets = (reply: { body: Created }, ...names: string[]) => {
      for (const name of names) secrets.push(reply.body.data[name]);
      return reply.body.data.id;
    };
    recordSecrets(await call('POST', `${program}/regenerate-api-token`), 'api_token');
    const pat = { name: 'Pat', email: `${randomUUID()}@partner.test` };
    const partnerId = recordSecrets(await call('POST', `${program}/partners`, pat), 'invite_token');
    await call('PUT', `${program}/partners/${partnerId}`, { status: 'banned' });
    const link = await call('POST', `${program}/links`, { partner_id: partnerId });
    await call('PUT', `${program}/links/${link.body.data.id}`, { status: 'inactive' });
    const terms = { type: 'flat', amount_cents: 500 };
    const policy = await call('POST', `${program}/commission-policies`, { ...terms, product_id: 'pro' });
    const policyPath = `${program}/commission-policies/${policy.body.data.id}`;
    await call('PUT', policyPath, { ...terms, amount_cents: 600 });
    await call('DELETE', policyPath);
    const keyId = recordSecrets(await call('POST', KEYS, { name: 'CI' }), 'key');
    await call('PUT', `${KEYS}/${keyId}`, { scopes: ['program:list'] });
    await call('DELETE', `${KEYS}/${keyId}`);
    const mia = { email: `${randomUUID()}@shop.test`, name: 'Mia', role: 'member' };
    const invited = await call('POST', MEMBERS, mia);
    const memberId = recordSecrets(invited, 'invite_token');
    await call('PUT', `${MEMBERS}/${memberId}`, { role: 'admin' });
    const accepted = await world.call<{ token: string; user: { id: number } }>(
      'POST',
      '/api/auth/accept-invite',
      {
        body: { token: invited.body.data['invite_token'], password: PASSWORD },
      },
    );
    secrets.push(accepted.body.token);
    await call('DELETE', `${MEMBERS}/${memberId}`);
    const iban = 'DE89370400440532013000';
    await call('PUT', `${program}/page`, { invitation_codes: ['CODE-1', 'CODE-2'] });
    await call('PUT', `${program}/page`, { invitation_codes: ['CODE-1', 'CODE-3'] });
    await call('PUT', `${program}/payout-settings`, { debtor: { name: 'Debtor', iban } });
    const stripe = { processor: 'stripe', account_id: 'acct_1', webhook_secret: 'whsec_1' };
    await call('POST', '/api/advertiser/processor-connections', stripe);
    secrets.push('CODE-1', 'CODE-2', 'CODE-3', iban, 'Debtor', 'whsec_1');
    await call('DELETE', program);

    const all = await entries();
    expect(all.map((entry) => entry.action)).toEqual([
      'workspace.create',
      'program.create',
      'program.regenerate_token',
      'partner.create',
      'partner.update',
      'link.create',
      'link.update',
      'policy.create',
      'policy.update',
      'policy.delete',
      'api_key.create',
      'api_key.update',
      'api_key.revoke',
      'member.create',
      'member.update',
      'member.accept_invite',
      'member.delete',
      'program.update_page',
      'program.update_page',
      'program.update_payout_settings',
      'processor_connection.create',
      'program.delete',
    ]);
    expect(all.find((entry) => entry.action === 'member.accept_invite')).toMatchObject({
      actor: { kind: 'user', id: accepted.body.user.id, email: mia.email },
      before: { user_id: null },
      after: { user_id: accepted.body.user.id },
      request_id: accepted.headers['x-request-id'],
    });
    expect(all.find((entry) => entry.action === 'policy.update')).toMatchObject({
      before: { amount_cents: 500, version: 1 },
      after: { amount_cents: 600, version: 2 },
    });
    expect(all.findLast((entry) => entry.action === 'program.update_page')).toMatchObject({
      before: { changed_fields: null },
      after: { changed_fields: ['invitation_codes'] },
    });
    expect(secrets).toHaveLength(12);
    const stored = JSON.stringify(await world.engine.read.selectFrom('audit_log').selectAll().execute());
    for (const secret of secrets) {
      expect(secret).toEqual(expect.any(String));
      expect(stored).not.toContain(secret);
    }
    expect(stored).not.toMatch(/\baff[ki]?_[0-9A-Za-z]{36}|argon2|"[0-9a-f]{64}"/);
  });

  it('does not record requests that changed nothing or were rejected', async () => {
    const before = await actions();
    await call('PUT', program, { name: 'Shop' });
    await call('PUT', program, {});
    await call('PUT', program, { name: 5 });
    await call('PUT', `${program}/partners/999999`, { status: 'banned' });
    await call('POST', `${program}/commission-policies`, {
      type: 'flat',
      amount_cents: 1,
      partner_id: 999999,
    });
    expect(await actions()).toEqual(before);
    const pat = { name: 'Pat', email: `${randomUUID()}@partner.test` };
    await runConcurrently(20, () => call('POST', `${program}/partners`, pat));
    await runConcurrently(20, () => call('POST', `${program}/go-live`));
    await runConcurrently(20, () => call('DELETE', program));
    expect(await actions()).toEqual([...before, 'partner.create', 'program.go_live', 'program.delete']);
  });

  it('shows owners only the log of their own workspaces', async () => {
    const outsider = await world.owner();
    const reply = await world.call<{ data: AuditEntry[] }>('GET', LOG, { token: outsider.token });
    expect(reply.body.data.map((entry) => entry.action)).toEqual(['workspace.create']);
    const asOutsider = { token: outsider.token };
    expect((await world.call('GET', `${LOG}&workspace_id=${owner.workspaceId}`, asOutsider)).status).toBe(
      404,
    );
    const { body } = await call('POST', KEYS, { name: 'CI' });
    expect((await world.call('GET', LOG, { token: String(body.data['key']) })).status).toBe(401);
  });
}
