import { toMajorUnits } from '../domain/money.ts';
import type { Runtime } from '../runtime.ts';
import type { CustomerRow } from '../storage/customers.ts';
import type { ProgramAccount } from '../storage/programs.ts';
import { findTimeline, findTracedCustomer, type TraceQuery } from '../storage/timeline.ts';

/** One step of a customer's story: what took place, and the rule's reason where a rule decided. */
interface TraceStep {
  readonly at: string;
  readonly step: 'click' | 'lead' | 'sale' | 'commission' | 'no_commission' | 'refund' | 'ledger' | 'note';
  /** A stable word for the rule that decided. */
  readonly reason: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Trace {
  readonly customer: Readonly<Record<string, unknown>>;
  readonly steps: readonly TraceStep[];
}

type Timeline = Awaited<ReturnType<typeof findTimeline>>;

/** Why a partner was, or was not, credited for a customer: every step in order; null when nobody is named so. */
export async function readTrace(
  runtime: Runtime,
  program: ProgramAccount,
  query: TraceQuery,
): Promise<Trace | null> {
  const { read } = runtime.engine;
  const customer = await findTracedCustomer(read, program.id, query);
  if (!customer) return null;
  const timeline = await findTimeline(read, customer);
  const steps = [...describeEvents(timeline), ...describeMoney(timeline)].sort((a, b) => a.order - b.order);
  return {
    customer: describeCustomer(customer),
    steps: steps.map(({ order, ...step }) => ({ ...step, at: iso(order) })),
  };
}

type Ordered = Omit<TraceStep, 'at'> & { readonly order: number };

function describeCustomer(customer: CustomerRow): Record<string, unknown> {
  return {
    customer_status: customer.status,
    click_id: customer.click_id,
    customer_key: customer.customer_key,
    customer_key_state: customer.key_state,
    email: customer.email_masked,
    partner_id: customer.partner_id,
    last_click_at: iso(customer.last_click_at),
    signup_date: customer.signup_at === null ? null : iso(customer.signup_at),
    first_purchase_date: customer.first_purchase_at === null ? null : iso(customer.first_purchase_at),
  };
}

function describeEvents({ clicks, leads, sales, notes }: Timeline): Ordered[] {
  return [
    ...clicks.map((click) => ({
      order: click.created_at,
      step: 'click' as const,
      reason: 'click_recorded',
      detail: { id: click.id, partner_id: click.partner_id, page_url: click.page_url },
    })),
    ...leads.map((lead) => ({
      order: lead.created_at,
      step: 'lead' as const,
      reason: `lead_from_${lead.source}`,
      detail: { id: lead.id, customer_key: lead.customer_key },
    })),
    ...sales.flatMap((sale): Ordered[] => {
      const detail = {
        id: sale.id,
        transaction_id: sale.processor_event_id,
        amount_cents: sale.amount_cents,
        currency: sale.currency,
        sale_date: iso(sale.sale_at),
      };
      const recorded: Ordered = { order: sale.created_at, step: 'sale', reason: 'sale_recorded', detail };
      return sale.no_commission_reason === null
        ? [recorded]
        : [recorded, { ...recorded, step: 'no_commission', reason: sale.no_commission_reason }];
    }),
    ...notes.map((note) => ({
      order: note.created_at,
      step: 'note' as const,
      reason: note.reason,
      detail: { sale_id: note.sale_id, detail: note.detail },
    })),
  ];
}

function describeMoney({ commissions, refunds, entries }: Timeline): Ordered[] {
  return [
    ...commissions.map((commission) => ({
      order: commission.created_at,
      step: 'commission' as const,
      reason: commission.first_commission_id === null ? 'policy_applied' : 'renewal_of_subscription',
      detail: {
        id: commission.id,
        sale_id: commission.sale_id,
        policy_version_id: commission.policy_version_id,
        amount_cents: commission.amount_cents,
        deducted_cents: commission.deducted_cents,
        currency: commission.currency,
        amount: toMajorUnits(commission.amount_cents, commission.currency),
        status: commission.status,
        releasable_at: iso(commission.releasable_at),
      },
    })),
    ...refunds.map((refund) => ({
      order: refund.created_at,
      step: 'refund' as const,
      reason: refund.refund_amount_cents === null ? 'full_refund' : 'partial_refund',
      detail: {
        id: refund.id,
        commission_id: refund.commission_id,
        refund_amount_cents: refund.refund_amount_cents,
        deduction_cents: refund.deduction_cents,
        refund_reason: refund.reason,
      },
    })),
    ...entries.map((entry) => ({
      order: entry.created_at,
      step: 'ledger' as const,
      reason: entry.kind,
      detail: {
        id: entry.id,
        debit_account: entry.debit_account,
        credit_account: entry.credit_account,
        amount_cents: entry.amount_cents,
        currency: entry.currency,
      },
    })),
  ];
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
