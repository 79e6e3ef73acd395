import Stripe from 'stripe';
import type { NewProgram } from '../../src/management/programs.ts';
import type { AffkitOptions } from '../../src/options.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { NotificationKind } from '../../src/storage/database/schema-accounts.ts';
import { charge, event, paymentSession, type StripeEvent } from './stripe-events.ts';
import type { Shape } from './stripe-shape.ts';
import { makeWorld, type Reply, signInOwner, type World } from './world.ts';

export const WEBHOOK_SECRET = 'whsec_of-the-connection';
export const CONNECTIONS = '/api/advertiser/processor-connections';

/** A world whose workspace has a processor connection. */
export interface WebhookWorld extends World {
  readonly session: { readonly authorization: string };
  readonly connection: Connection;
  /** Sends a signed webhook. @param event an event, or a raw body @param to @default `connection` */
  send(event: unknown, to?: Partial<Connection>): Promise<Reply>;
  /** Sends an event. @returns `outcome` or `outcome: reason` @throws when the response is not a 200 */
  outcome(event: StripeEvent): Promise<string>;
  /** Sends several events one after the other. */
  outcomes(...events: StripeEvent[]): Promise<string[]>;
  /** Returns the event of a checkout that the customer `user-1` has paid. */
  completed(name: string, fields?: Shape<Stripe.Checkout.Session>): StripeEvent;
  /** Returns the event of a refund. @param cents total refunded amount of the charge */
  refunded(name: string, cents: number, amount?: number, fields?: Shape<Stripe.Charge>): StripeEvent;
  /** Records a sale of 1999 cents to `user-1` by the API. `fields` override the defaults. */
  sell(fields: object): Promise<Reply>;
  sales(): Promise<Record<string, unknown>[]>;
  listReferences(saleId: unknown): Promise<string[]>;
  commissions(): Promise<{ id: string; status: string; deducted_cents: number }[]>;
  /** Returns the stored notifications of a kind. */
  listNotifications(kind: NotificationKind): Promise<object[]>;
  /** The recipient columns of a notification to the advertiser. */
  readonly advertiser: { readonly partner_id: null; readonly program_id: number };
  /** Metadata that identifies the program and its customer `user-1`, who clicked on Anna's link. */
  readonly metadata: { readonly program_id: string; readonly service_customer_key: string };
}

interface Connection {
  readonly path: string;
  readonly secret: string;
}

const { webhooks } = new Stripe('sk_test_unused');

/**
 * Returns the signature header that Stripe's own library creates for a payload.
 * @param count how often the header contains the signature
 */
export function sign(payload: string, secret: string, now: number, count = 1): string {
  const timestamp = Math.floor(now / 1000);
  const header = webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return count === 1 ? header : `${header},${header.split(',')[1]}`;
}

export async function makeWebhookWorld(
  engine: Engine,
  settings: Partial<NewProgram> = {},
  options: Partial<AffkitOptions> = {},
): Promise<WebhookWorld> {
  const world = await makeWorld(engine, settings, options);
  const session = await signInOwner(world);
  const click_id = await world.click('anna');
  await world.track('lead', { click_id, customer_key: 'user-1' });
  const metadata = { program_id: String(world.program.id), service_customer_key: 'user-1' };
  const connection = await connect(world, session, world.workspaceId);
  const send: WebhookWorld['send'] = (one, to = {}) => {
    const { path, secret } = { ...connection, ...to };
    const payload = typeof one === 'string' ? one : JSON.stringify(one);
    return world.call('POST', path, payload, {
      'stripe-signature': sign(payload, secret, world.clock.now),
    });
  };
  const outcome: WebhookWorld['outcome'] = async (one) => {
    const { status, body } = await send(one);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return [body['outcome'], body['reason']].filter((part) => part !== undefined).join(': ');
  };
  return {
    ...world,
    session,
    metadata,
    connection,
    send,
    outcome,
    outcomes: async (...events) => {
      const results = [];
      for (const one of events) results.push(await outcome(one));
      return results;
    },
    completed: (name, fields = {}) =>
      event('checkout.session.completed', paymentSession(name, metadata, fields)),
    refunded: (name, cents, amount = 1999, fields = {}) =>
      event('charge.refunded', charge('current', name, cents, amount, fields)),
    sell: (fields) => world.track('sale', { amount_cents: 1999, customer_key: 'user-1', ...fields }),
    advertiser: { partner_id: null, program_id: world.program.id },
    sales: () =>
      engine.read
        .selectFrom('sales')
        .select([
          'id',
          'processor_event_id',
          'amount_cents',
          'currency',
          'sale_type',
          'is_recurring',
          'subscription_id',
          'customer_key',
          'partner_id',
          'sale_at',
        ])
        .orderBy('id')
        .execute(),
    listReferences: async (saleId) => {
      const rows = await engine.read
        .selectFrom('processor_refs')
        .select('ref')
        .where('sale_id', '=', Number(saleId))
        .orderBy('ref')
        .execute();
      return rows.map((row) => row.ref);
    },
    commissions: () =>
      engine.read
        .selectFrom('commissions')
        .innerJoin('sales', (join) =>
          join
            .onRef('sales.program_id', '=', 'commissions.program_id')
            .onRef('sales.id', '=', 'commissions.sale_id'),
        )
        .select(['processor_event_id as id', 'commissions.status', 'deducted_cents'])
        .orderBy('commissions.id')
        .execute(),
    listNotifications: async (kind) => {
      const rows = await engine.read
        .selectFrom('notifications')
        .select(['payload', 'partner_id', 'program_id'])
        .where('kind', '=', kind)
        .orderBy('id')
        .execute();
      return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) as unknown }));
    },
  };
}

/** Creates a Stripe connection for the workspace. */
export async function connect(
  world: World,
  session: { readonly authorization: string },
  workspaceId: number,
  secret = WEBHOOK_SECRET,
): Promise<Connection & { readonly id: number }> {
  const body = {
    processor: 'stripe',
    account_id: 'acct_1',
    webhook_secret: secret,
    workspace_id: workspaceId,
  };
  const reply = await world.call('POST', CONNECTIONS, body, session);
  const data = reply.body['data'] as { id: number; webhook_path: string } | undefined;
  if (reply.status !== 201 || !data) throw new Error(JSON.stringify(reply.body));
  return { id: data.id, path: data.webhook_path, secret };
}
