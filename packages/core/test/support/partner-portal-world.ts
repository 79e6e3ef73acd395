import type { AffkitOptions } from '../../src/options.ts';
import type { OpenEngine } from './engine-kinds.ts';
import { openWorld, type SignedUp, type World } from './management-world.ts';

export const PROGRAMS = '/api/advertiser/affiliate-programs';

type Owner = SignedUp & { readonly workspaceId: number };

interface Program {
  readonly id: number;
  readonly owner: Owner;
  /** The tracking token. */
  readonly token: string;
}

interface Enrolled {
  readonly id: number;
  readonly enrollmentId: number;
  readonly linkId: number;
  readonly code: string;
}

/**
 * Two workspaces. In the first workspace, Pat and Rob are enrolled in the program `main`, and Pat also in
 * `side`. In the second workspace, Pat (with another partner id) and Sid are enrolled in `away`. Pat and Rob
 * are signed in, Sid is not.
 */
export interface PartnerWorld {
  readonly world: World;
  readonly main: Program;
  readonly side: Program;
  readonly away: Program;
  readonly pat: SignedUp;
  readonly rob: SignedUp;
  readonly inMain: Enrolled;
  readonly inSide: Enrolled;
  readonly inAway: Enrolled;
  readonly robInMain: Enrolled;
  readonly sidInAway: Enrolled;
  /** Records a click and a sale with values that match `ADVERTISER_SECRETS`. @returns the commission id */
  sell(program: Program, code: string, amountCents: number): Promise<number>;
  /** Refunds the sale of a commission and runs the jobs that send the notifications. */
  refund(program: Program, commissionId: number, fields?: object): Promise<void>;
  /** Sends a request with the caller's token. @returns the body @throws when the response is an error */
  ask<T>(caller: { readonly token: string }, target: string, method?: string, body?: unknown): Promise<T>;
}

/** Values that only the advertiser may see. No response to a partner may contain them. */
export const ADVERTISER_SECRETS = /txn-|buyer-|landing\.example|referrer|clk_|aff_/;

export async function openPartnerWorld(
  open: OpenEngine,
  options: Partial<AffkitOptions> = {},
): Promise<PartnerWorld> {
  const world = await openWorld(open, options);
  const ask: PartnerWorld['ask'] = async <T>(
    { token }: { readonly token: string },
    target: string,
    method = 'GET',
    body?: unknown,
  ) => {
    const reply = await world.call<T>(method, target, { token, body });
    if (reply.status >= 300) throw new Error(`${target}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const addProgram = async (owner: Owner, name: string): Promise<Program> => {
    const { data } = await ask<{ data: { id: number; api_token: string } }>(owner, PROGRAMS, 'POST', {
      name,
      slug: name,
      site_url: `https://${name}.example`,
      commission: { type: 'percent', rate: 10 },
      hold_days: 30,
    });
    return { id: data.id, owner, token: data.api_token };
  };
  const enroll = async (program: Program, name: string, code: string): Promise<Enrolled> => {
    const { data } = await ask<{
      data: { id: number; partner_program_id: number; links: { id: number }[] };
    }>(program.owner, `${PROGRAMS}/${program.id}/partners`, 'POST', {
      name,
      email: `${name}@partner.test`,
      code,
    });
    const linkId = data.links[0]?.id ?? 0;
    return { id: data.id, enrollmentId: data.partner_program_id, linkId, code };
  };
  const signIn = async (...partnerIds: number[]): Promise<SignedUp> => {
    const user = await world.signUp();
    await world.engine.write(0, (tx) =>
      tx.db.updateTable('partners').set({ user_id: user.userId }).where('id', 'in', partnerIds).execute(),
    );
    return user;
  };

  const acme = await world.owner();
  const main = await addProgram(acme, 'main-shop');
  const side = await addProgram(acme, 'side-shop');
  const away = await addProgram(await world.owner(), 'away-shop');
  const robInMain = await enroll(main, 'rob', 'code-of-rob');
  const inMain = await enroll(main, 'pat', 'pat-main');
  const inSide = await enroll(side, 'pat', 'pat-side');
  const sidInAway = await enroll(away, 'sid', 'code-of-sid');
  const inAway = await enroll(away, 'pat', 'pat-away');
  let count = 0;
  return {
    world,
    main,
    side,
    away,
    pat: await signIn(inMain.id, inAway.id),
    rob: await signIn(robInMain.id),
    inMain,
    inSide,
    inAway,
    robInMain,
    sidInAway,
    ask,
    async sell(program, code, amountCents) {
      count += 1;
      const click = await world.call<{ click_id: string }>('POST', '/api/v1/track/click', {
        body: {
          affiliate_url: `https://landing.example/?aff=${code}`,
          page_url: `https://landing.example/${count}`,
          referrer_url: 'https://referrer.example/',
        },
      });
      const sale = await ask<{ commission_id: number }>(program, '/api/v1/track/sale', 'POST', {
        transaction_id: `txn-${count}`,
        customer_key: `buyer-${count}`,
        click_id: click.body.click_id,
        amount_cents: amountCents,
      });
      return sale.commission_id;
    },
    async refund(program, commissionId, fields) {
      const sale = await world.engine.read
        .selectFrom('commissions')
        .innerJoin('sales', (join) =>
          join
            .onRef('sales.program_id', '=', 'commissions.program_id')
            .onRef('sales.id', '=', 'commissions.sale_id'),
        )
        .select('sales.processor_event_id')
        .where('commissions.id', '=', commissionId)
        .executeTakeFirstOrThrow();
      const body = { transaction_id: sale.processor_event_id, ...fields };
      await ask(program, '/api/v1/track/refund', 'POST', body);
      await world.affkit.jobs.runOnce();
    },
  };
}
