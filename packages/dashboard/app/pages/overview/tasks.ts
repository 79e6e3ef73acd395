import * as messages from '#messages/overview.ts';
import type { PayoutPreview, ProgramSetup } from '../../api/types.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import type { Permission } from '../../session/session.tsx';
import { HARMLESS_REASONS } from '../processor/harmless-reasons.ts';

/**
 * Facts about a program from the API. A fact is undefined while it is loading, or if the user's role may not
 * read it.
 */
export interface TaskFacts {
  readonly pendingPartners?: number | undefined;
  readonly pendingPayouts?: number | undefined;
  readonly commissionsInReview?: number | undefined;
  readonly payable?: PayoutPreview['meta']['totals'] | undefined;
  readonly setup?: ProgramSetup | undefined;
}

export interface Task {
  readonly id: string;
  readonly text: string;
  /** Text of the link. */
  readonly action: string;
  /** The path. It is relative to the pages that `of` names or, if `of` is not set, to the program's pages. */
  readonly path: string;
  /** `workspace`: the pages of the workspace. `steps`: the guided steps of the program. */
  readonly of?: 'workspace' | 'steps';
  readonly tone: 'info' | 'warn' | 'bad';
}

const DAY_MS = 86_400_000;
const QUIET_DAYS = 7;

/**
 * If the latest webhook was ignored for one of these reasons, the user need not act. For example, Affkit ignores
 * payments of customers whom no partner referred.
 */
const REASONS_WITHOUT_TASK = [...HARMLESS_REASONS, 'sale_customer_not_found'];

/** Returns the tasks that the user may complete, most urgent first. */
export function tasksOf(
  facts: TaskFacts,
  may: (permission: Permission) => boolean,
  now: number = Date.now(),
): readonly Task[] {
  const tasks = [
    may('program:update') && setupTask(facts.setup, may('partner:create')),
    may('processor-connection:write') && processorTask(facts.setup),
    may('program:update') && quietTask(facts.setup, now),
    may('partner:update') && partnersTask(facts.pendingPartners),
    may('commission:update') && commissionsTask(facts.commissionsInReview),
    may('payout:update') && payoutsTask(facts.pendingPayouts),
    may('payout:create') && payableTask(facts.payable),
  ];
  return tasks.filter((task) => task !== false && task !== undefined);
}

/** @param mayInvite whether the user may create partners, which the guided steps require */
function setupTask(setup: ProgramSetup | undefined, mayInvite: boolean): Task | undefined {
  if (!setup) return undefined;
  const lacks = (name: string) =>
    setup.steps.some(({ step, state }) => step === name && state !== 'received');
  // A test event proves that the server works, but not that the site contains the tracker.
  if (setup.healthy && !lacks('click')) return undefined;
  const missing = (['click', 'lead', 'sale'] as const).find(lacks) ?? 'partner';
  const task = {
    id: 'setup',
    text: messages.setupWaits[missing],
    action: messages.toSetup,
    tone: 'warn',
  } as const;
  // The first click completes the guided steps. From then on, the task links to the setup page.
  return mayInvite && missing === 'click' ? { ...task, path: '', of: 'steps' } : { ...task, path: '/setup' };
}

function processorTask(setup: ProgramSetup | undefined): Task | undefined {
  const webhook = setup?.webhook;
  if (!webhook) return undefined;
  const task = {
    id: 'processor',
    action: messages.toConnection,
    path: '/processor',
    of: 'workspace',
    tone: 'bad',
  } as const;
  if (webhook.last_at === null) {
    return { ...task, text: messages.noWebhook };
  }
  const { last_outcome: outcome, last_reason: reason } = webhook;
  if (outcome !== 'ignored' || reason === null || REASONS_WITHOUT_TASK.includes(reason)) return undefined;
  return { ...task, text: messages.webhookIgnored(reason.replaceAll('_', ' ')) };
}

function quietTask(setup: ProgramSetup | undefined, now: number): Task | undefined {
  const lastAt = setup?.steps.find(({ step }) => step === 'sale')?.last_at;
  if (lastAt === null || lastAt === undefined) return undefined;
  const days = Math.floor((now - Date.parse(lastAt)) / DAY_MS);
  if (days < QUIET_DAYS) return undefined;
  return {
    id: 'quiet',
    text: messages.noSales(days),
    action: messages.checkSetup,
    path: '/setup',
    tone: 'warn',
  };
}

function partnersTask(count = 0): Task | undefined {
  if (count === 0) return undefined;
  const text = messages.partnersWait(count);
  return { id: 'partners', text, action: messages.review, path: '/partners?status=pending', tone: 'info' };
}

function commissionsTask(count = 0): Task | undefined {
  if (count === 0) return undefined;
  return {
    id: 'commissions',
    text: messages.commissionsWait(count),
    action: messages.review,
    path: '/commissions?needs_approval=1',
    tone: 'info',
  };
}

function payoutsTask(count = 0): Task | undefined {
  if (count === 0) return undefined;
  return {
    id: 'payouts',
    text: messages.payoutsWait(count),
    action: messages.markAsPaid,
    path: '/payouts?status=pending',
    tone: 'info',
  };
}

function payableTask(totals: PayoutPreview['meta']['totals'] = []): Task | undefined {
  const count = totals.reduce((sum, { payouts }) => sum + payouts, 0);
  if (count === 0) return undefined;
  const amounts = formatList(totals.map(({ amount_cents, currency }) => formatMoney(amount_cents, currency)));
  const text = messages.payable(count, amounts);
  return { id: 'payable', text, action: messages.payPartners, path: '/payouts?pay=1', tone: 'info' };
}
