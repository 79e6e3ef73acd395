import type { PayoutPreview, ProgramSetup } from '../../api/types.ts';
import { formatMoney } from '../../format/money.ts';
import { formatCount } from '../../format/number.ts';
import type { Permission } from '../../session/session.tsx';

/** What the API says about a program. What the user may not read, or what is not known yet, is undefined. */
export interface Facts {
  readonly pendingPartners?: number | undefined;
  readonly pendingPayouts?: number | undefined;
  readonly commissionsInReview?: number | undefined;
  readonly payable?: PayoutPreview['meta']['totals'] | undefined;
  readonly setup?: ProgramSetup | undefined;
}

export interface Task {
  readonly id: string;
  readonly text: string;
  /** What the link does. */
  readonly action: string;
  /** Path below the program's pages; below the workspace's if it is about the workspace. */
  readonly path: string;
  readonly of?: 'workspace';
  readonly tone: 'info' | 'warn' | 'bad';
}

const DAY_MS = 86_400_000;
const QUIET_DAYS = 7;

/** Reasons for which a webhook is ignored although nothing is wrong. */
const HARMLESS = [
  'zero_amount',
  'setup_mode',
  'payment_pending',
  'payment_failed',
  'refund_pending',
  'nothing_to_tie',
  'unsupported_type',
  'sale_customer_not_found',
  'no_affiliate_attribution',
];

/** What there is to do, most urgent first. Only what the user may do. */
export function tasksOf(
  facts: Facts,
  may: (permission: Permission) => boolean,
  now: number = Date.now(),
): readonly Task[] {
  const tasks = [
    may('program:update') && setupTask(facts.setup),
    may('processor-connection:write') && processorTask(facts.setup),
    may('program:update') && quietTask(facts.setup, now),
    may('partner:update') && partnersTask(facts.pendingPartners),
    may('commission:update') && commissionsTask(facts.commissionsInReview),
    may('payout:update') && payoutsTask(facts.pendingPayouts),
    may('payout:create') && payableTask(facts.payable),
  ];
  return tasks.filter((task) => task !== false && task !== undefined);
}

function setupTask(setup: ProgramSetup | undefined): Task | undefined {
  if (!setup || setup.healthy) return undefined;
  const waiting = setup.steps.find(({ step, state }) => step !== 'refund' && state === 'waiting');
  const next = waiting ? `no ${NAMES[waiting.step]} has arrived yet` : 'no partner is approved yet';
  return {
    id: 'setup',
    text: `Setup is not finished: ${next}`,
    action: 'Continue',
    path: '/setup',
    tone: 'warn',
  };
}

const NAMES = { click: 'click', lead: 'sign-up', sale: 'sale', refund: 'refund' } as const;

function processorTask(setup: ProgramSetup | undefined): Task | undefined {
  const webhook = setup?.webhook;
  if (!webhook) return undefined;
  const task = {
    id: 'processor',
    action: 'Check the connection',
    path: '/processor',
    of: 'workspace',
    tone: 'bad',
  } as const;
  if (webhook.last_at === null) {
    return { ...task, text: 'Stripe is connected, but no valid webhook has arrived yet' };
  }
  const { last_outcome: outcome, last_reason: reason } = webhook;
  if (outcome !== 'ignored' || reason === null || HARMLESS.includes(reason)) return undefined;
  return { ...task, text: `Stripe’s latest webhook was ignored: ${reason.replaceAll('_', ' ')}` };
}

function quietTask(setup: ProgramSetup | undefined, now: number): Task | undefined {
  const lastAt = setup?.steps.find(({ step }) => step === 'sale')?.last_at;
  if (lastAt === null || lastAt === undefined) return undefined;
  const days = Math.floor((now - Date.parse(lastAt)) / DAY_MS);
  if (days < QUIET_DAYS) return undefined;
  const text = `No sale in ${formatCount(days)} days`;
  return { id: 'quiet', text, action: 'Check the setup', path: '/setup', tone: 'warn' };
}

function partnersTask(count = 0): Task | undefined {
  if (count === 0) return undefined;
  const text =
    count === 1 ? '1 partner waits for approval' : `${formatCount(count)} partners wait for approval`;
  return { id: 'partners', text, action: 'Review', path: '/partners?status=pending', tone: 'info' };
}

function commissionsTask(count = 0): Task | undefined {
  if (count === 0) return undefined;
  const text =
    count === 1 ? '1 commission needs approval' : `${formatCount(count)} commissions need approval`;
  return { id: 'commissions', text, action: 'Review', path: '/commissions?needs_approval=1', tone: 'info' };
}

function payoutsTask(count = 0): Task | undefined {
  if (count === 0) return undefined;
  const text =
    count === 1
      ? '1 payout waits to be marked as paid'
      : `${formatCount(count)} payouts wait to be marked as paid`;
  return { id: 'payouts', text, action: 'Mark as paid', path: '/payouts?status=pending', tone: 'info' };
}

function payableTask(totals: PayoutPreview['meta']['totals'] = []): Task | undefined {
  const count = totals.reduce((sum, { payouts }) => sum + payouts, 0);
  if (count === 0) return undefined;
  const amounts = new Intl.ListFormat('en').format(
    totals.map(({ amount_cents, currency }) => formatMoney(amount_cents, currency)),
  );
  const text = `${count === 1 ? '1 payout' : `${formatCount(count)} payouts`} can be paid: ${amounts}`;
  return { id: 'payable', text, action: 'Pay partners', path: '/payouts?pay=1', tone: 'info' };
}
