import { createHmac } from 'node:crypto';
import { API_PROGRAMS, type Api } from '../api.ts';
import { OTHER_PARTNERS, PENDING_PARTNERS, SEASONAL_LINK } from './partners.ts';
import { DAY_MS, DISPUTED, HOUR_MS, type Plan } from './plan.ts';
import { TEA_CLUB } from './products.ts';

const WEBHOOK_SECRET = 'whsec_demo';

/** The dependencies of milestones. */
interface MilestoneTools {
  readonly api: Api;
  readonly programId: number;
  /** Runs the background jobs, which release the commissions whose hold has ended. */
  readonly runJobs: () => Promise<void>;
  /** Sends a webhook. */
  readonly send: (path: string, body: string, headers: Readonly<Record<string, string>>) => Promise<void>;
}

/** An action of the advertiser or its payment processor. */
export interface Milestone {
  /** Epoch milliseconds, an integer. */
  readonly at: number;
  readonly run: (tools: MilestoneTools) => Promise<void>;
}

/** The actions of the advertiser and its payment processor during a history, in time order. */
export function planMilestones({ start, end }: Plan): readonly Milestone[] {
  const onDay = (day: number, run: Milestone['run']): Milestone => ({
    at: start + day * DAY_MS + (day === 0 ? 0 : 8 * HOUR_MS),
    run,
  });
  const milestones = [
    onDay(0, addTeaClub),
    ...OTHER_PARTNERS.map(({ joins, name, email, code }) => ({
      at: start + joins * DAY_MS,
      run: ({ api, programId }: MilestoneTools) =>
        api<void>('POST', pathOf(programId, '/partners'), { name, email, code }),
    })),
    onDay(6, addPolicyOfPartner),
    onDay(12, connectProcessor),
    { ...onDay(0, addSeasonalLink), at: start + SEASONAL_LINK.from * DAY_MS },
    onDay(48, decideClaims),
    onDay(56, addBonus),
    onDay(58, (tools) => payOut(tools, 0)),
    onDay(SEASONAL_LINK.to, endSeasonalLink),
    onDay(80, (tools) => payOut(tools, 1)),
    onDay(86, (tools) => addPendingPartner(tools, 0)),
    onDay(88, (tools) => addPendingPartner(tools, 1)),
    { at: end - 5 * DAY_MS, run: openDispute(end - 5 * DAY_MS) },
  ];
  return milestones.filter(({ at }) => at < end).sort((a, b) => a.at - b.at);
}

const pathOf = (programId: number, path: string) => `${API_PROGRAMS}/${programId}${path}`;

async function addTeaClub({ api, programId }: MilestoneTools): Promise<void> {
  const policy = { type: 'percent', rate: 15, product_id: TEA_CLUB.id, recurring_months: 12 };
  await api('POST', pathOf(programId, '/commission-policies'), policy);
}

async function findPartner({ api, programId }: MilestoneTools, code: string): Promise<number> {
  const [partner] = await api<{ id: number }[]>('GET', pathOf(programId, `/partners?q=${code}`));
  if (partner === undefined) throw new Error(`The history has no partner with the code ${code}`);
  return partner.id;
}

async function addPolicyOfPartner(tools: MilestoneTools): Promise<void> {
  const partnerId = await findPartner(tools, SEASONAL_LINK.partner);
  const policy = { type: 'percent', rate: 25, partner_id: partnerId };
  await tools.api('POST', pathOf(tools.programId, '/commission-policies'), policy);
}

async function addSeasonalLink(tools: MilestoneTools): Promise<void> {
  const partnerId = await findPartner(tools, SEASONAL_LINK.partner);
  const link = { partner_id: partnerId, short_link: SEASONAL_LINK.code };
  await tools.api('POST', pathOf(tools.programId, '/links'), link);
}

async function endSeasonalLink({ api, programId }: MilestoneTools): Promise<void> {
  const [link] = await api<{ id: number }[]>('GET', pathOf(programId, `/links?q=${SEASONAL_LINK.code}`));
  if (link) await api('PUT', pathOf(programId, `/links/${link.id}`), { status: 'inactive' });
}

interface Commission {
  readonly id: number;
  readonly needs_approval: boolean;
}

/**
 * Approves and rejects some of the commissions that need approval. Commissions of later sales still wait for
 * approval at the end of the history.
 */
async function decideClaims({ api, programId }: MilestoneTools): Promise<void> {
  const pending = await api<Commission[]>(
    'GET',
    pathOf(programId, '/commissions?status=pending&pageSize=100&order=asc'),
  );
  const claimed = pending.filter(({ needs_approval }) => needs_approval);
  for (const [index, { id }] of claimed.slice(0, 6).entries()) {
    await api('POST', pathOf(programId, `/commissions/${id}/${index === 2 ? 'reject' : 'approve'}`));
  }
}

async function addBonus({ api, programId }: MilestoneTools): Promise<void> {
  const path = pathOf(programId, '/commissions?status=approved&sort=amount_cents');
  const [largest] = await api<Commission[]>('GET', path);
  const bonus = { amount_cents: 1500, reason: 'Bonus for the spring tea guide' };
  if (largest) await api('POST', pathOf(programId, `/commissions/${largest.id}/adjust`), bonus);
}

/** Creates payouts for all payable amounts. @param left the number of payouts to leave unpaid */
async function payOut({ api, programId, runJobs }: MilestoneTools, left: number): Promise<void> {
  await runJobs();
  const payouts = await api<{ id: number }[]>('POST', pathOf(programId, '/payouts'), {});
  for (const { id } of payouts.slice(0, payouts.length - left)) {
    const reference = `Bank transfer ${2026_000 + Number(id)}`;
    await api('POST', pathOf(programId, `/payouts/${id}/mark-paid`), { reference });
  }
}

async function addPendingPartner({ api, programId }: MilestoneTools, index: 0 | 1): Promise<void> {
  await api('POST', pathOf(programId, '/partners'), { ...PENDING_PARTNERS[index], status: 'pending' });
}

async function connectProcessor({ api }: MilestoneTools): Promise<void> {
  await api('POST', CONNECTIONS, {
    processor: 'stripe',
    account_id: 'acct_demo',
    webhook_secret: WEBHOOK_SECRET,
    mode: 'test',
    charges_enabled: true,
    payouts_enabled: true,
    details_submitted: true,
  });
}

const CONNECTIONS = '/api/advertiser/processor-connections';

/** The payment processor reports that a customer disputes a payment. */
function openDispute(at: number): Milestone['run'] {
  return async ({ api, send }) => {
    const [connection] = await api<{ webhook_path: string }[]>('GET', CONNECTIONS);
    if (connection === undefined) throw new Error('The history has no processor connection');
    const seconds = Math.floor(at / 1000);
    const body = JSON.stringify({
      id: 'evt_demo_1',
      object: 'event',
      api_version: '2025-03-31.basil',
      created: seconds,
      livemode: false,
      type: 'charge.dispute.created',
      data: {
        object: {
          id: 'dp_demo_1',
          object: 'dispute',
          amount: 4800,
          currency: 'usd',
          charge: DISPUTED.charge,
          payment_intent: DISPUTED.paymentIntent,
          created: seconds,
          reason: 'product_not_received',
          status: 'needs_response',
          balance_transactions: [],
          livemode: false,
          metadata: {},
        },
      },
    });
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${seconds}.${body}`).digest('hex');
    await send(connection.webhook_path, body, { 'stripe-signature': `t=${seconds},v1=${signature}` });
  };
}
