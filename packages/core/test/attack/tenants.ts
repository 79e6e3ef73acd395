import { SCOPES } from '@affkit/protocol';
import { signFormToken } from '../../src/access/form-token.ts';
import { createPasswordResetCode } from '../../src/access/password-reset.ts';
import type { MemberRole } from '../../src/storage/database/schema-accounts.ts';
import type { World } from '../support/management-world.ts';
import { addPayoutRun } from '../support/payout-batch-row.ts';
import { createSession } from '../support/users.ts';
import { type Caller, type KnownTexts, ROW_KINDS, type RowKind, type Tenant } from './tenant.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const KEYS = '/api/advertiser/api-keys';

let tenantCount = 0;

/** Creates a tenant with `world.call`, so that its rows are made as in production. */
export async function addTenant(world: World): Promise<Tenant> {
  const builder = new TenantBuilder(world);
  await builder.addUsers();
  await builder.addProgram();
  await builder.addProgram();
  await builder.addWorkspaceRows();
  await builder.addCallers();
  await world.affkit.jobs.runOnce();
  return await builder.finish();
}

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

class TenantBuilder {
  readonly #world: World;
  readonly #number = ++tenantCount;
  readonly #webhookSecret = `whsec_of-tenant-${this.#number}`;
  #marks = 0;
  #workspaceId = 0;
  readonly #sessions = new Map<string, string>();
  readonly #userIds: number[] = [];
  readonly #rows = Object.fromEntries(ROW_KINDS.map((kind) => [kind, [] as number[]])) as Record<
    RowKind,
    number[]
  >;
  readonly #known: KnownTexts = {
    codes: [],
    clickIds: [],
    customerKeys: [],
    transactionIds: [],
    origins: [],
    slugs: [],
    formTokens: [],
  };
  readonly #saleIds: number[] = [];
  readonly #emails: string[] = [];
  readonly #productIds: string[] = [];
  readonly #inviteTokens: string[] = [];
  readonly #resetCodes: string[] = [];
  readonly #trackingTokens: string[] = [];
  readonly #pageSecrets: string[] = [];
  readonly #callers: [name: string, token: string][] = [];
  readonly #cookies: [name: string, token: string][] = [];

  constructor(world: World) {
    this.#world = world;
  }

  #mark(): string {
    this.#marks += 1;
    return `zq${this.#number}x${this.#marks}zq`;
  }

  get #owner(): string {
    return this.#sessions.get('owner') ?? '';
  }

  async #send<T = { readonly data: Row }>(method: string, target: string, body: object, token = this.#owner) {
    const reply = await this.#world.call<T>(method, target, { token, body });
    if (reply.status >= 300) throw new Error(`${method} ${target}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  async addUsers(): Promise<void> {
    const owner = await this.#world.owner();
    this.#workspaceId = owner.workspaceId;
    this.#rows.workspace.push(owner.workspaceId);
    this.#sessions.set('owner', owner.token);
    this.#userIds.push(owner.userId);
    for (const role of ['admin', 'member', 'viewer'] satisfies MemberRole[]) {
      const user = await this.#world.signUp([{ workspaceId: owner.workspaceId, role }]);
      this.#sessions.set(role, user.token);
      this.#userIds.push(user.userId);
    }
    const partner = await this.#world.signUp();
    this.#sessions.set('partner', partner.token);
    this.#userIds.push(partner.userId);
    await this.#world.engine.write(0, async ({ db }) => {
      for (const id of this.#userIds) {
        const email = `${this.#mark()}@shop.test`;
        this.#emails.push(email);
        await db.updateTable('users').set({ email, name: this.#mark() }).where('id', '=', id).execute();
      }
      const workspace = db.updateTable('workspaces').set({ name: this.#mark() });
      await workspace.where('id', '=', this.#workspaceId).execute();
    });
  }

  async #createProgram(): Promise<{ readonly program: Row; readonly origin: string }> {
    const origin = `https://${this.#mark()}.example`;
    const { data: program } = await this.#send('POST', PROGRAMS, {
      name: this.#mark(),
      slug: this.#mark(),
      site_url: `${origin}/${this.#mark()}`,
      allowed_origins: [origin],
      commission: { type: 'percent', rate: 20 },
      workspace_id: this.#workspaceId,
    });
    return { program, origin };
  }

  async addProgram(): Promise<void> {
    const { program, origin } = await this.#createProgram();
    this.#known.origins.push(origin);
    this.#rows.program.push(program.id);
    const token = String(program['api_token']);
    this.#trackingTokens.push(token);
    const path = `${PROGRAMS}/${program.id}`;
    await this.#publishPage(path, program);
    for (const isUser of [true, false]) await this.#addPartner(path, program.id, isUser);
    const productId = this.#mark();
    this.#productIds.push(productId);
    const terms = { type: 'flat', amount_cents: 700 };
    await this.#send('POST', `${path}/commission-policies`, { ...terms, product_id: productId });
    const policies = await this.#send<{ data: Row[] }>('GET', `${path}/commission-policies`, {});
    this.#rows.policy.push(...policies.data.map(({ id }) => id));
    const codes = this.#known.codes.slice(-4);
    for (const code of codes) await this.#sell(token, code, origin, productId);
    const { data: due } = await this.#send<{ data: Row[] }>('POST', `${path}/payouts`, {});
    for (const { id } of due)
      await this.#send('POST', `${path}/payouts/${id}/mark-paid`, { reference: this.#mark() });
    const paidSale = this.#known.transactionIds.at(-1);
    await this.#send('POST', '/api/v1/track/refund', this.#refundOf(paidSale), token);
    for (const code of codes) await this.#sell(token, code, origin, productId);
    await this.#send('POST', `${path}/payouts`, {});
    for (const code of [...codes, ...codes]) await this.#sell(token, code, origin, productId);
    const lastSale = this.#known.transactionIds.at(-1);
    await this.#send('POST', '/api/v1/track/refund', this.#refundOf(lastSale), token);
    const commissions = await this.#send<{ data: Row[] }>('GET', `${path}/commissions?pageSize=100`, {});
    // Put the commissions and payouts of the partner with a user account first, so that requests with the tenant's own
    // ids use them.
    const [userPartner] = this.#rows.partner.slice(-2);
    const isOfUser = (row: Row) => Number(row['partner_id'] === userPartner);
    const idsOf = (rows: Row[]) => rows.toSorted((a, b) => isOfUser(b) - isOfUser(a)).map(({ id }) => id);
    this.#rows.commission.push(...idsOf(commissions.data));
    const customers = await this.#send<{ data: Row[] }>('GET', `${path}/customers?pageSize=100`, {});
    this.#rows.customer.push(...customers.data.map(({ id }) => id));
    const adjustment = { amount_cents: 5, reason: this.#mark() };
    await this.#send('POST', `${path}/commissions/${this.#rows.commission.at(-1)}/adjust`, adjustment);
    const payouts = await this.#send<{ data: Row[] }>('GET', `${path}/payouts?pageSize=100`, {});
    this.#rows.payout.push(...idsOf(payouts.data));
    await this.#sendPayouts(path);
    await this.#addWebhookEndpoint(path);
  }

  /** Puts the pending payout of the partner with a user account into a batch. */
  async #sendPayouts(path: string): Promise<void> {
    const details = {
      method: 'other',
      instructions: this.#mark(),
      tax_name: this.#mark(),
      tax_id: this.#mark(),
    };
    const partnerId = this.#rows.partner.at(-2) ?? 0;
    const partner = { token: this.#sessions.get('partner') ?? '' };
    const body = { ...details, partner_id: partnerId };
    await this.#world.call('PUT', '/api/partner/payout-details', { ...partner, body });
    const order = { channel: 'file:csv', currency: 'USD' };
    const { data } = await this.#send<{ data: Row | null }>('POST', `${path}/payout-batches`, order);
    if (data) this.#rows.payoutBatch.push(data.id);
    const programId = this.#rows.program.at(-1) ?? 0;
    this.#rows.payoutRun.push(await addPayoutRun(this.#world, this.#workspaceId, programId));
  }

  async #addWebhookEndpoint(path: string): Promise<void> {
    const { data: endpoint } = await this.#send('POST', `${path}/webhook-endpoints`, {
      url: `https://${this.#mark()}.example/${this.#mark()}`,
      description: this.#mark(),
      event_types: ['payout.paid'],
    });
    this.#rows.webhookEndpoint.push(endpoint.id);
    this.#pageSecrets.push(String(endpoint['secret']));
    const test = `${path}/webhook-endpoints/${endpoint.id}/test`;
    const { data } = await this.#send<{ data: { delivery_id: number } }>('POST', test, {});
    this.#rows.webhookDelivery.push(data.delivery_id);
  }

  async #publishPage(path: string, program: Row): Promise<void> {
    const secrets = [`invited-by-${this.#number}`, `approved-by-${this.#number}.example`];
    this.#pageSecrets.push(...secrets);
    await this.#send('PUT', `${path}/page`, {
      published: true,
      description: this.#mark(),
      questions: [{ id: 'blog', label: this.#mark(), type: 'text' }],
      invitation_codes: secrets.slice(0, 1),
      auto_approve_domains: secrets.slice(1),
    });
    const { runtime } = this.#world.affkit;
    // The form counts as loaded a minute ago, because a form that is sent immediately is rejected as spam.
    const loaded = { secret: runtime.secret, now: () => runtime.now() - 60_000 };
    this.#known.slugs.push(String(program['slug']));
    this.#known.formTokens.push(signFormToken(loaded, program.id));
  }

  #refundOf(transactionId: string | undefined): object {
    return { transaction_id: transactionId, refund_amount_cents: 100, refund_reason: this.#mark() };
  }

  async #addPartner(path: string, programId: number, isUser: boolean): Promise<void> {
    const code = this.#mark();
    const { data: partner } = await this.#send('POST', `${path}/partners`, {
      name: this.#mark(),
      email: `${this.#mark()}@partner.test`,
      code,
    });
    const short_link = this.#mark();
    await this.#send('POST', `${path}/links`, { partner_id: partner.id, short_link });
    this.#known.codes.push(code, short_link);
    this.#rows.partner.push(partner.id);
    await this.#world.engine.write(this.#workspaceId, async ({ db }) => {
      const links = db.selectFrom('links').select('id').where('program_id', '=', programId);
      const rows = await links.where('partner_id', '=', partner.id).execute();
      this.#rows.link.push(...rows.map(({ id }) => id));
      if (!isUser) return;
      const user = { user_id: this.#userIds.at(-1) ?? null };
      await db.updateTable('partners').set(user).where('id', '=', partner.id).execute();
    });
  }

  /** Records a click, a lead and a sale. */
  async #sell(token: string, code: string, origin: string, product_id: string): Promise<void> {
    const page = () => `${origin}/${this.#mark()}`;
    const click = await this.#world.call<{ click_id: string }>('POST', '/api/v1/track/click', {
      body: {
        affiliate_url: `${page()}?aff=${code}&sub_id=${this.#mark()}`,
        page_url: page(),
        page_title: this.#mark(),
        referrer_url: page(),
        session_id: this.#mark(),
        timezone: this.#mark(),
      },
    });
    const { click_id } = click.body;
    const customer_key = this.#mark();
    const transaction_id = this.#mark();
    const lead = {
      click_id,
      customer_key,
      email: `${this.#mark()}@${this.#mark()}.test`,
      session_id: this.#mark(),
      page_url: page(),
      additional_data: { event_name: this.#mark() },
    };
    await this.#send('POST', '/api/v1/track/lead', lead, token);
    const sale = {
      transaction_id,
      amount_cents: 4_900,
      customer_key,
      ...(this.#marks % 2 === 0 && { product_id }),
      subscription_id: this.#mark(),
      line_items: { name: this.#mark() },
      additional_data: { note: this.#mark() },
    };
    const recorded = await this.#send<{ sale_id: number }>('POST', '/api/v1/track/sale', sale, token);
    this.#saleIds.push(recorded.sale_id);
    this.#known.clickIds.push(click_id);
    this.#known.customerKeys.push(customer_key);
    this.#known.transactionIds.push(transaction_id);
  }

  async addWorkspaceRows(): Promise<void> {
    const workspace_id = this.#workspaceId;
    const email = `${this.#mark()}@shop.test`;
    this.#emails.push(email);
    const invite = { email, name: this.#mark(), role: 'viewer', workspace_id };
    const { data: member } = await this.#send('POST', '/api/advertiser/members', invite);
    if (typeof member['invite_token'] === 'string') this.#inviteTokens.push(member['invite_token']);
    const { data: connection } = await this.#send('POST', '/api/advertiser/processor-connections', {
      processor: 'stripe',
      account_id: `acct_${this.#mark()}`,
      webhook_secret: this.#webhookSecret,
      workspace_id,
    });
    this.#rows.connection.push(connection.id);
    this.#rows.emptyProgram.push((await this.#createProgram()).program.id);
  }

  async #addKey(name: string, fields: object): Promise<Row> {
    const body = { name: this.#mark(), workspace_id: this.#workspaceId, ...fields };
    const { data } = await this.#send('POST', KEYS, body);
    this.#rows.key.push(data.id);
    this.#callers.push([name, String(data['key'])]);
    return data;
  }

  async addCallers(): Promise<void> {
    for (const [role, token] of this.#sessions) this.#callers.push([`session of ${role}`, token]);
    const { runtime } = this.#world.affkit;
    const [ownerId = 0] = this.#userIds;
    for (const [role, userId] of [
      ['owner', ownerId],
      ['partner', this.#userIds.at(-1) ?? 0],
    ] as const) {
      const { token } = await createSession(runtime, userId, true);
      this.#cookies.push([`cookie of ${role}`, token]);
    }
    for (const isBrowser of [true, false, true])
      this.#rows.session.push((await createSession(runtime, ownerId, isBrowser)).id);
    const [main, side] = this.#rows.program;
    for (const scope of ['*', ...SCOPES]) await this.#addKey(`key with ${scope}`, { scopes: [scope] });
    await this.#addKey('key limited to the first program', { program_scope: [main] });
    await this.#addKey('key limited to the second program', { program_scope: [side] });
    const revoked = await this.#addKey('key revoked', {});
    await this.#send('DELETE', `${KEYS}/${revoked.id}`, {});
    const expired = await this.#addKey('key expired', {});
    const signedOut = await this.#world.signUp([{ workspaceId: this.#workspaceId, role: 'owner' }]);
    await this.#send('POST', '/api/auth/logout', {}, signedOut.token);
    this.#callers.push(['session logged out', signedOut.token]);
    const reset = await createPasswordResetCode(runtime, signedOut.email);
    this.#resetCodes.push(reset?.code ?? '');
    const former = await this.#world.signUp([{ workspaceId: this.#workspaceId, role: 'owner' }]);
    this.#callers.push(['session expired', former.token]);
    await this.#world.engine.write(this.#workspaceId, async ({ db }) => {
      await db.updateTable('api_keys').set({ expires_at: 1 }).where('id', '=', expired.id).execute();
      await db.updateTable('sessions').set({ expires_at: 1 }).where('user_id', '=', former.userId).execute();
    });
    for (const [index, token] of this.#trackingTokens.entries())
      this.#callers.push([`token of program ${index + 1}`, token]);
  }

  async finish(): Promise<Tenant> {
    const { read } = this.#world.engine;
    const ofWorkspace = <T extends 'members' | 'notifications'>(table: T) =>
      read.selectFrom(table as 'members').where('workspace_id', '=', this.#workspaceId);
    for (const { id } of await ofWorkspace('members').select('id').execute()) this.#rows.member.push(id);
    const notifications = read.selectFrom('notifications').select(['id', 'partner_id']);
    for (const row of await notifications.where('workspace_id', '=', this.#workspaceId).execute())
      this.#rows[row.partner_id === null ? 'notification' : 'partnerNotification'].push(row.id);
    for (const kind of ROW_KINDS) if (this.#rows[kind].length === 0) throw new Error(`No rows of ${kind}`);
    const tenant = {
      number: this.#number,
      workspaceId: this.#workspaceId,
      userIds: this.#userIds,
      rows: this.#rows,
      saleIds: this.#saleIds,
      known: this.#known,
      secrets: [
        ...this.#pageSecrets,
        ...this.#inviteTokens,
        ...this.#resetCodes,
        ...[...this.#callers, ...this.#cookies].map(([, token]) => token),
      ],
      emails: this.#emails,
      productIds: this.#productIds,
      inviteTokens: this.#inviteTokens,
      resetCodes: this.#resetCodes,
      webhookSecret: this.#webhookSecret,
    };
    const callers: Caller[] = [];
    const all: Tenant = { ...tenant, callers };
    for (const [name, token] of this.#callers)
      callers.push({ name, tenant: all, authorization: `Bearer ${token}` });
    for (const [name, token] of this.#cookies)
      callers.push({ name, tenant: all, cookie: `__Host-affkit=${token}; affkit=${token}` });
    return all;
  }
}
