import { SESSION_MS, signSessionToken } from '../../src/access/session-token.ts';
import { insertNotification } from '../../src/storage/accounts/notifications.ts';
import { insertSession } from '../../src/storage/accounts/sessions.ts';
import { ACCOUNTS_LANE } from '../../src/storage/accounts/users.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, type SignedUp, type World } from '../support/management-world.ts';
import { sessionOf } from '../support/users.ts';
import { type Credential, PEOPLE } from './permission-matrix.ts';

const P = '/api/advertiser/affiliate-programs';
const KEYS = '/api/advertiser/api-keys';
const SECOND = 1000;

export interface Ids {
  readonly program: number;
  readonly partner: number;
  readonly link: number;
  readonly policy: number;
  readonly commission: number;
  readonly payout: number;
  readonly member: number;
  readonly notification: number;
  readonly partnerNotification: number;
  readonly connection: number;
}

interface Issued {
  /** After `Bearer `; absent for no credential. */
  readonly token?: string;
  /** The id, if it is a management key. */
  readonly keyId?: number;
}

/**
 * A workspace with a program, one row of each kind and users of each role, and other programs and workspaces.
 */
export interface Fixture {
  readonly world: World;
  readonly owner: SignedUp;
  readonly workspaceId: number;
  /** The code of the program's link. */
  readonly code: string;
  readonly ids: Ids;
  /** The same ids of another program in the workspace (`sibling`) and in another workspace (`foreign`). */
  readonly sibling: Ids;
  readonly foreign: Ids;
  unique(): string;
  addKey(fields?: object, token?: string): Promise<{ readonly id: number; readonly key: string }>;
  /** Returns a credential of that kind. It is created once and reused until `renew`. */
  issue(credential: Credential): Promise<Issued>;
  /** Makes `issue` create new credentials, because a request may have invalidated the old ones. */
  renew(): void;
}

export async function openFixture(open: OpenEngine): Promise<Fixture> {
  const world = await openWorld(open);
  let count = 0;
  const unique = () => `u${++count}`;
  const owner = await world.owner();
  const stranger = await world.owner();
  const own = await addRows(world, owner.token, owner.workspaceId, unique());
  const sibling = await addRows(world, owner.token, owner.workspaceId, unique());
  const foreign = await addRows(world, stranger.token, stranger.workspaceId, unique());
  const { workspaceId } = owner;
  const people = new Map<string, SignedUp>([
    ['owner', owner],
    ['outsider', stranger],
    ['partner', await world.signUp()],
  ]);
  for (const role of ['admin', 'member', 'viewer'] as const) {
    people.set(role, await world.signUp([{ workspaceId, role }]));
  }
  const partner = people.get('partner')?.userId ?? 0;
  await world.engine.write(workspaceId, (tx) =>
    tx.db.updateTable('partners').set({ user_id: partner }).where('id', '=', own.ids.partner).execute(),
  );

  const addKey: Fixture['addKey'] = async (fields = {}, token = owner.token) =>
    (await made<{ id: number; key: string }>(world, KEYS, token, { name: 'k', ...fields })).data;
  const keyOf = async (fields?: object, token?: string): Promise<Issued> => {
    const { id, key } = await addKey(fields, token);
    return { token: key, keyId: id };
  };
  /** A key of a former admin who now has the given role, or none. */
  const keyOfFormerAdmin = async (role: 'member' | 'viewer' | null) => {
    const maker = await world.signUp([{ workspaceId, role: 'admin' }]);
    const key = await keyOf({}, maker.token);
    await world.engine.write(workspaceId, async (tx) => {
      if (role === null) await tx.db.deleteFrom('members').where('user_id', '=', maker.userId).execute();
      else await tx.db.updateTable('members').set({ role }).where('user_id', '=', maker.userId).execute();
    });
    return key;
  };
  const regenerate = async (token: string, programId: number): Promise<Issued> => {
    const path = `${P}/${programId}/regenerate-api-token`;
    return { token: (await made<{ api_token: string }>(world, path, token, {})).data.api_token };
  };

  async function create(credential: Credential): Promise<Issued> {
    switch (credential) {
      case 'none':
        return {};
      case 'unknown token':
        return { token: 'nothing' };
      case 'token of this program':
        return regenerate(owner.token, own.ids.program);
      case 'token of another program':
        return regenerate(stranger.token, foreign.ids.program);
      case 'key of this program alone':
        return keyOf({ program_scope: [own.ids.program] });
      case 'key out of program_scope':
        return keyOf({ program_scope: [sibling.ids.program] });
      case 'key of another workspace':
        return keyOf({}, stranger.token);
      case 'key whose maker is a member now':
        return keyOfFormerAdmin('member');
      case 'key whose maker is a viewer now':
        return keyOfFormerAdmin('viewer');
      case 'key whose maker left':
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
        // The JWT itself is still valid, so the session's row must decide.
        const session = { id: unique(), userId: owner.userId, expiresAt: world.clock.now + SECOND };
        await world.engine.write(ACCOUNTS_LANE, (tx) =>
          insertSession(tx, { ...session, at: world.clock.now }),
        );
        const token = await signSessionToken(world.affkit.runtime, {
          ...session,
          expiresAt: session.expiresAt + SESSION_MS,
        });
        world.clock.now += SECOND;
        return { token };
      }
      case 'session ended': {
        const session = await sessionOf(world.affkit.runtime, owner.userId);
        await world.call('POST', '/api/auth/logout', { token: session.token });
        return { token: session.token };
      }
      default: {
        const person = PEOPLE.find((one) => credential === `session of ${one}`);
        if (person === undefined) return keyOf({ scopes: [credential.slice('key with '.length)] });
        return { token: (await sessionOf(world.affkit.runtime, people.get(person)?.userId ?? 0)).token };
      }
    }
  }
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
    addKey,
    issue(credential) {
      const known = issued.get(credential) ?? create(credential);
      issued.set(credential, known);
      return known;
    },
    renew: () => issued.clear(),
  };
}

/** Creates a program with one row of each kind. Its balance is above 0, so it cannot be deleted. */
async function addRows(world: World, token: string, workspaceId: number, code: string) {
  const program = await made<{ id: number; api_token: string }>(world, P, token, {
    name: code,
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 20 },
  });
  const path = `${P}/${program.data.id}`;
  const enrollment = { name: code, email: `${code}@partner.test`, code };
  const partner = await made<{ id: number; links: { id: number }[] }>(
    world,
    `${path}/partners`,
    token,
    enrollment,
  );
  const policies = await world.call<{ data: { id: number }[] }>('GET', `${path}/commission-policies`, {
    token,
  });
  await sell(world, program.data.api_token, code, '1');
  const payouts = await made<{ id: number }[]>(world, `${path}/payouts`, token, {});
  for (const sale of ['2', '3']) await sell(world, program.data.api_token, code, sale);
  const commissions = await world.call<{ data: { id: number }[] }>('GET', `${path}/commissions`, { token });
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
  const connection = await made<{ id: number }>(world, '/api/advertiser/processor-connections', token, {
    processor: 'stripe',
    account_id: `acct_${code}`,
    webhook_secret: 'whsec_of-the-fixture',
    workspace_id: workspaceId,
  });
  const ids = {
    program: program.data.id,
    partner: partner.data.id,
    link: first(partner.data.links),
    policy: first(policies.body.data),
    commission: first(commissions.body.data),
    payout: first(payouts.data),
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

async function made<T>(world: World, path: string, token: string, body: object): Promise<{ data: T }> {
  const reply = await world.call<{ data: T }>('POST', path, { token, body });
  if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

function first(rows: readonly { readonly id: number }[]): number {
  const [row] = rows;
  if (!row) throw new Error('The fixture has no such row');
  return row.id;
}
