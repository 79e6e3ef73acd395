import { type Affkit, createAffkit } from '../../src/create-affkit.ts';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import type { Mailer } from '../../src/mail/mailer.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import type { AffkitOptions } from '../../src/options.ts';
import type { PayoutProvider } from '../../src/payout-provider/provider.ts';
import type { OpenEngine } from './engine-kinds.ts';
import { SILENT } from './silent-logger.ts';
import { createTestMailer } from './test-mailer.ts';
import { makeWorld, type Reply, SECRET, signInOwner, type World } from './world.ts';

export const DAY = 86_400_000;

export interface PayoutData {
  readonly id: number;
  readonly partner_id: number;
  readonly currency: string;
  readonly status: 'pending' | 'paid' | 'cancelled';
  readonly amount_cents: number;
  readonly commissions: number;
  readonly ledger_position: number;
  readonly ledger_hash: string;
}

/** Sends a request. Tests with several processes pass the `call` function of another process. */
type Call = World['call'];

/** A program with a commission of 20 percent, and helpers to pay its partners. */
export interface PayoutWorld extends World {
  readonly path: string;
  readonly credential: { readonly authorization: string };
  /** Sends a request with a management key of the owner. @param path relative to the program */
  ask(method: string, path: string, body?: unknown, call?: Call): Promise<Reply>;
  /** Records a sale. @returns the commission id */
  sell(transactionId: string, amountCents: number, fields?: Record<string, unknown>): Promise<number>;
  refund(transactionId: string, amountCents?: number): Promise<Reply>;
  /** Creates payouts. */
  payOut(body?: Record<string, unknown>): Promise<PayoutData[]>;
  end(payoutId: number, verb: 'mark-paid' | 'cancel', body?: unknown, call?: Call): Promise<Reply>;
  adjust(commissionId: number, body: Record<string, unknown>, call?: Call): Promise<Reply>;
  /** Returns the balance and the payable amount of a partner by currency, from the partner list. */
  owed(partnerId?: number): Promise<Record<string, [number, number]>>;
  commission(id: number): Promise<Record<string, unknown>>;
}

/** Returns the recipients of all emails about failed payouts. */
export async function failedPayoutRecipients({ engine }: World): Promise<string[]> {
  const emails = await engine.read
    .selectFrom('emails')
    .select('recipient')
    .where('kind', '=', 'payout_failed')
    .execute();
  return emails.map(({ recipient }) => recipient);
}

export async function openPayoutWorld(open: OpenEngine, settings: object = {}): Promise<PayoutWorld> {
  return payoutWorldOn(await makeWorld(await open(), settings));
}

/** Stores an address of PayPal for both partners, such as `anna@paypal.test`. */
export async function enterPayPalDetails({ affkit, workspaceId, anna, ben }: PayoutWorld): Promise<void> {
  for (const [code, { partnerId: id }] of Object.entries({ anna, ben })) {
    const details = toPayoutDetails({ method: 'paypal', email: `${code}@paypal.test` });
    await changePayoutDetails(affkit.runtime, { id, workspaceId }, details);
  }
}

/** Opens another process of the service, with its own options, on the database of `world`. */
export function openNode({ engine, clock }: PayoutWorld, options: Partial<AffkitOptions>): Affkit {
  return createAffkit({ engine, secret: SECRET, now: () => clock.now, logger: SILENT, ...options });
}

/** Opens a world in which every workspace can pay its partners through `provider`. */
export async function openProviderWorld(
  open: OpenEngine,
  provider: PayoutProvider,
  mailer: Mailer = createTestMailer(),
): Promise<PayoutWorld> {
  const options = {
    payoutProviders: [provider],
    payoutWorkspaces: 'all',
    mailer,
    publicUrl: 'https://affkit.test',
  } as const;
  return payoutWorldOn(await makeWorld(await open(), {}, options));
}

export async function payoutWorldOn(world: World): Promise<PayoutWorld> {
  const created = await world.call(
    'POST',
    '/api/advertiser/api-keys',
    { name: 'k', workspace_id: world.workspaceId },
    await signInOwner(world),
  );
  // A management key, unlike a session, does not expire while the tests advance the clock.
  const credential = { authorization: `Bearer ${(created.body['data'] as { key: string }).key}` };
  const path = `/api/advertiser/affiliate-programs/${world.program.id}`;
  const ask: PayoutWorld['ask'] = (method, subpath, body, call = world.call) =>
    call(method, `${path}${subpath}`, body, credential);
  return {
    ...world,
    path,
    credential,
    ask,
    sell: async (transactionId, amountCents, { code = 'anna', ...fields } = {}) => {
      const click_id = await world.click(String(code));
      const sale = { transaction_id: transactionId, amount_cents: amountCents, click_id, ...fields };
      const reply = await world.track('sale', sale);
      if (typeof reply.body['commission_id'] !== 'number') throw new Error(JSON.stringify(reply.body));
      return reply.body['commission_id'];
    },
    refund: (transactionId, amountCents = 0) =>
      world.track('refund', { transaction_id: transactionId, refund_amount_cents: amountCents }),
    payOut: async (body = {}) => {
      const reply = await ask('POST', '/payouts', body);
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
      // The cast is safe because the tests check the fields that they use.
      return reply.body['data'] as PayoutData[];
    },
    end: (payoutId, verb, body, call) => ask('POST', `/payouts/${payoutId}/${verb}`, body, call),
    adjust: (commissionId, body, call) => ask('POST', `/commissions/${commissionId}/adjust`, body, call),
    owed: async (partnerId = world.anna.partnerId) => {
      const { body } = await ask('GET', '/partners?pageSize=100');
      const rows = body['data'] as {
        id: number;
        balances: { currency: string; balance_cents: number; payable_cents: number }[];
      }[];
      const row = rows.find(({ id }) => id === partnerId);
      return Object.fromEntries(
        (row?.balances ?? []).map((one) => [one.currency, [one.balance_cents, one.payable_cents]]),
      );
    },
    commission: async (id) => {
      const { body } = await ask('GET', '/commissions?pageSize=100');
      const rows = body['data'] as Record<string, unknown>[];
      const row = rows.find((one) => one['id'] === id);
      if (!row) throw new Error(`No commission ${id}`);
      return row;
    },
  };
}
