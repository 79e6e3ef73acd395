import { sealConfirmationToken, sealUnsubscribeToken } from '../../src/access/email-link.ts';
import { SESSION_MS, signSessionToken } from '../../src/access/session-token.ts';
import { insertNotification } from '../../src/storage/accounts/notifications.ts';
import { insertSession } from '../../src/storage/accounts/sessions.ts';
import { SERVICE_LANE } from '../../src/storage/accounts/users.ts';
import { insertApplication } from '../../src/storage/programs/applications.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, type SignedUp, type World } from '../support/management-world.ts';
import { addPayoutBatch, addPayoutRun } from '../support/payout-batch-row.ts';
import { createSession } from '../support/users.ts';
import { addWebhookEndpoint } from '../support/webhook-rows.ts';
import type { Credential } from './permission-matrix.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const KEYS = '/api/advertiser/api-keys';
const SECOND = 1000;
/** The service's own origin. */
const ORIGIN = 'https://affkit.test';

export interface Ids {
  readonly workspace: number;
  readonly program: number;
  readonly partner: number;
  readonly link: number;
  readonly customer: number;
  readonly policy: number;
  readonly commission: number;
  readonly payout: number;
  readonly payoutBatch: number;
  readonly payoutRun: number;
  readonly webhookEndpoint: number;
  readonly webhookDelivery: number;
  readonly member: number;
  readonly notification: number;
  readonly partnerNotification: number;
  readonly connection: number;
}

interface Issued {
  /** The bearer token, or undefined for a request without a credential. */
  readonly token?: string;
  /** The `Cookie` header. */
  readonly cookie?: string;
  /** The `Origin` header. */
  readonly origin?: string;
  /** Id of the management key, if the credential is a key. */
  readonly keyId?: number;
  /** Id of the session, if the credential is a session. */
  readonly sessionId?: number;
}

/**
 * A workspace with a program and one row of each kind, users of each role, and other programs and workspaces.
 */
export interface Fixture {
  readonly world: World;
  readonly owner: SignedUp;
  readonly workspaceId: number;
  /** Both the code of the program's link and the slug of the program. */
  readonly code: string;
  readonly ids: Ids;
  /** Rows of another program in the workspace. */
  readonly sibling: Ids;
  /** Rows of a program in another workspace. */
  readonly foreign: Ids;
  /** Tokens from links in emails. Requests with these tokens need no credential. */
  readonly emailTokens: { readonly confirmation: string; readonly unsubscribe: string };
  unique(): string;
  addKey(fields?: object, token?: string): Promise<{ readonly id: number; readonly key: string }>;
  /** Adds a webhook endpoint to the program. @returns its id */
  addEndpoint(): Promise<number>;
  /** Returns a credential of that kind. The credential is cached until `renew` is called. */
  issue(credential: Credential): Promise<Issued>;
  /** Drops the cached credentials, and restores the sessions of `owner` and of the other workspace's owner. */
  renew(): Promise<void>;
}

export async function openFixture(open: OpenEngine): Promise<Fixture> {
  const world = await openWorld(open);
  let count = 0;
  const unique = () => `u${++count}`;
  const owner = await world.owner();
  const outsider = await world.owner();
  const own = await addRows(world, owner.token, owner.workspaceId, unique());
  const sibling = await addRows(world, owner.token, owner.workspaceId, unique());
  const foreign = await addRows(world, outsider.token, outsider.workspaceId, unique());
  const { workspaceId } = owner;
  const users = new Map<string, SignedUp>([
    ['owner', owner],
    ['outsider', outsider],
    ['partner', await world.signUp()],
  ]);
  for (const role of ['admin', 'member', 'viewer'] as const) {
    users.set(role, await world.signUp([{ workspaceId, role }]));
  }
  const partner = users.get('partner')?.userId ?? 0;
  await world.engine.write(workspaceId, (tx) =>
    tx.db.updateTable('partners').set({ user_id: partner }).where('id', '=', own.ids.partner).execute(),
  );

  const applicant = { programId: own.ids.program, partnerId: own.ids.partner };
  const appliedAt = world.clock.now;
  await world.engine.write(workspaceId, (tx) =>
    insertApplication(tx, applicant, {
      answers: [],
      invitationCode: null,
      approvedBy: null,
      appliedAt,
      emailConfirmedAt: null,
    }),
  );
  const { runtime } = world.affkit;
  const email = `${own.code}@partner.test`;
  const emailTokens = {
    confirmation: sealConfirmationToken(runtime, { ...applicant, email, appliedAt }),
    unsubscribe: sealUnsubscribeToken(runtime, { category: 'monthly_summary', recipient: email }),
  };

  const addKey: Fixture['addKey'] = async (fields = {}, token = owner.token) =>
    (await create<{ id: number; key: string }>(world, KEYS, token, { name: 'k', ...fields })).data;
  const keyOf = async (fields?: object, token?: string): Promise<Issued> => {
    const { id, key } = await addKey(fields, token);
    return { token: key, keyId: id };
  };
  /** Creates a key of an admin who then gets another role, or is removed from the workspace if `role` is null. */
  const keyOfFormerAdmin = async (role: 'member' | 'viewer' | null) => {
    const creator = await world.signUp([{ workspaceId, role: 'admin' }]);
    const key = await keyOf({}, creator.token);
    await world.engine.write(workspaceId, async (tx) => {
      if (role === null) await tx.db.deleteFrom('members').where('user_id', '=', creator.userId).execute();
      else await tx.db.updateTable('members').set({ role }).where('user_id', '=', creator.userId).execute();
    });
    return key;
  };
  const regenerate = async (token: string, programId: number): Promise<Issued> => {
    const path = `${PROGRAMS}/${programId}/regenerate-api-token`;
    return { token: (await create<{ api_token: string }>(world, path, token, {})).data.api_token };
  };

  function userIdOf(role: string): number {
    const user = users.get(role);
    if (!user) throw new Error(`No user has the role ${role}`);
    return user.userId;
  }
  /** Creates a browser session, for requests of the service's own pages. */
  async function cookieOf(role: string): Promise<Issued> {
    const { id, token } = await createSession(world.affkit.runtime, userIdOf(role), true);
    return { cookie: `__Host-affkit=${token}`, origin: ORIGIN, sessionId: id };
  }

  async function make(credential: Credential): Promise<Issued> {
    switch (credential) {
      case 'none':
        return {};
      case 'unknown token':
        return { token: 'unknown-credential' };
      case 'token of this program':
        return regenerate(owner.token, own.ids.program);
      case 'token of another program':
        return regenerate(outsider.token, foreign.ids.program);
      case 'key limited to this program':
        return keyOf({ program_scope: [own.ids.program] });
      case 'key limited to another program':
        return keyOf({ program_scope: [sibling.ids.program] });
      case 'key of another workspace':
        return keyOf({}, outsider.token);
      case 'key whose creator is now a member':
        return keyOfFormerAdmin('member');
      case 'key whose creator is now a viewer':
        return keyOfFormerAdmin('viewer');
      case 'key whose creator left':
        return keyOfFormerAdmin(null);
      case 'key expired': {
        const key = await keyOf({ expires_at: new Date(world.clock.now + SECOND).toISOString() });
        world.clock.now += SECOND;
        return key;
      }
      case 'key revoked': {
        const key = await keyOf();
        await world.call('DELETE', `${KEYS}/${key.keyId}`, { token: owner.token });
        return key;
      }
      case 'session expired': {
        // The signature is valid for longer than the stored session, so only the stored expiry time rejects
        // the token.
        const session = { userId: owner.userId, expiresAt: world.clock.now + SECOND };
        const tokenId = unique();
        const row = { ...session, tokenId, device: null, renewableUntil: null, at: world.clock.now };
        await world.engine.write(SERVICE_LANE, (tx) => insertSession(tx, row));
        const token = await signSessionToken(world.affkit.runtime, {
          ...session,
          id: tokenId,
          expiresAt: session.expiresAt + SESSION_MS,
        });
        world.clock.now += SECOND;
        return { token };
      }
      case 'session logged out': {
        const session = await createSession(world.affkit.runtime, owner.userId);
        await world.call('POST', '/api/auth/logout', { token: session.token });
        return { token: session.token };
      }
      case 'unknown token beside a valid cookie':
        return { ...(await cookieOf('owner')), token: 'unknown-credential' };
      case 'key revoked beside a valid cookie':
        return { ...(await cookieOf('owner')), ...(await make('key revoked')) };
      case 'cookie with a bearer token': {
        const { token } = await createSession(world.affkit.runtime, owner.userId);
        return { cookie: `__Host-affkit=${token}`, origin: ORIGIN };
      }
      case 'cookie expired': {
        const { sessionId = 0, ...cookie } = await cookieOf('owner');
        await world.engine.write(SERVICE_LANE, (tx) =>
          tx.db.updateTable('sessions').set({ expires_at: 1 }).where('id', '=', sessionId).execute(),
        );
        return cookie;
      }
      case 'cookie logged out': {
        const { sessionId: _, ...cookie } = await cookieOf('owner');
        await world.call('POST', '/api/auth/logout', cookie);
        return cookie;
      }
      case 'cookie from another origin':
        // The program accepts clicks from this origin.
        return { ...(await cookieOf('owner')), origin: 'https://shop.example' };
      case 'cookie without an origin': {
        const { origin: _, ...cookie } = await cookieOf('owner');
        return cookie;
      }
      default: {
        const [kind, role] = credential.split(' of ');
        if (kind === 'cookie') return cookieOf(role ?? '');
        if (kind !== 'session') return keyOf({ scopes: [credential.slice('key with '.length)] });
        const { id, token } = await createSession(world.affkit.runtime, userIdOf(role ?? ''));
        return { token, sessionId: id };
      }
    }
  }
  const sessions = await world.engine.read.selectFrom('sessions').selectAll().execute();
  const issued = new Map<Credential, Promise<Issued>>();
  return {
    world,
    owner,
    workspaceId,
    code: own.code,
    ids: own.ids,
    sibling: sibling.ids,
    foreign: foreign.ids,
    unique,
    emailTokens,
    addKey,
    addEndpoint: async () => (await addWebhookEndpoint(world, workspaceId, own.ids.program)).endpointId,
    issue(credential) {
      const cached = issued.get(credential) ?? make(credential);
      issued.set(credential, cached);
      return cached;
    },
    async renew() {
      issued.clear();
      await world.engine.write(SERVICE_LANE, ({ db }) =>
        db
          .insertInto('sessions')
          .values(sessions)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
    },
  };
}

/**
 * Creates a program with one row of each kind. Its balance is above 0, so that requests cannot delete the
 * program.
 */
async function addRows(world: World, token: string, workspaceId: number, code: string) {
  const program = await create<{ id: number; api_token: string }>(world, PROGRAMS, token, {
    name: code,
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 20 },
  });
  const path = `${PROGRAMS}/${program.data.id}`;
  // The slug of the program is `code`.
  await world.call('PUT', `${path}/page`, { token, body: { published: true } });
  const enrollment = { name: code, email: `${code}@partner.test`, code };
  const partner = await create<{ id: number; links: { id: number }[] }>(
    world,
    `${path}/partners`,
    token,
    enrollment,
  );
  const policies = await world.call<{ data: { id: number }[] }>('GET', `${path}/commission-policies`, {
    token,
  });
  await sell(world, program.data.api_token, code, '1');
  const payouts = await create<{ id: number }[]>(world, `${path}/payouts`, token, {});
  for (const sale of ['2', '3']) await sell(world, program.data.api_token, code, sale);
  const commissions = await world.call<{ data: { id: number }[] }>('GET', `${path}/commissions`, { token });
  const customers = await world.call<{ data: { id: number }[] }>('GET', `${path}/customers`, { token });
  const members = await world.call<{ data: { id: number }[] }>(
    'GET',
    `/api/advertiser/members?workspace_id=${workspaceId}`,
    { token },
  );
  await world.engine.write(workspaceId, async (tx) => {
    for (const partner_id of [null, partner.data.id]) {
      await insertNotification(tx, {
        workspace_id: workspaceId,
        program_id: program.data.id,
        partner_id,
        kind: partner_id === null ? 'paid_commission_reversed' : 'commission_reversed',
        dedupe_key: `${code} ${partner_id}`,
        payload: '{}',
        read_at: null,
        created_at: world.clock.now,
      });
    }
  });
  const partnerNotifications = await world.engine.read
    .selectFrom('notifications')
    .select('id')
    .where('partner_id', '=', partner.data.id)
    .execute();
  const notifications = await world.call<{ data: { id: number }[] }>(
    'GET',
    `/api/advertiser/notifications?workspace_id=${workspaceId}`,
    { token },
  );
  const connection = await create<{ id: number }>(world, '/api/advertiser/processor-connections', token, {
    processor: 'stripe',
    account_id: `acct_${code}`,
    webhook_secret: 'whsec_of-the-fixture',
    workspace_id: workspaceId,
  });
  const webhook = await addWebhookEndpoint(world, workspaceId, program.data.id);
  const ids = {
    workspace: workspaceId,
    program: program.data.id,
    partner: partner.data.id,
    link: first(partner.data.links),
    customer: first(customers.body.data),
    policy: first(policies.body.data),
    commission: first(commissions.body.data),
    payout: first(payouts.data),
    payoutRun: await addPayoutRun(world, workspaceId, program.data.id),
    webhookEndpoint: webhook.endpointId,
    webhookDelivery: webhook.deliveryId,
    payoutBatch: await addPayoutBatch(world, workspaceId, program.data.id, partner.data.id),
    member: first(members.body.data),
    notification: first(notifications.body.data),
    partnerNotification: first(partnerNotifications),
    connection: connection.data.id,
  };
  return { code, ids };
}

async function sell(world: World, token: string, code: string, number: string): Promise<void> {
  const click = await world.call<{ click_id: string }>('POST', '/api/v1/track/click', {
    body: { affiliate_url: `https://shop.example/?aff=${code}` },
  });
  const { click_id } = click.body;
  const body = { transaction_id: `${code}-${number}`, amount_cents: 5000, click_id };
  const sale = await world.call('POST', '/api/v1/track/sale', { token, body });
  if (sale.status !== 200) throw new Error(JSON.stringify(sale.body));
}

async function create<T>(world: World, path: string, token: string, body: object): Promise<{ data: T }> {
  const reply = await world.call<{ data: T }>('POST', path, { token, body });
  if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

function first(rows: readonly { readonly id: number }[]): number {
  const [row] = rows;
  if (!row) throw new Error('The list is empty');
  return row.id;
}
