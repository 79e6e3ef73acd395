import { type Engine, type Explanation, explainId } from '@affkit/core';
import { CommandError, type CommandResult } from './command-result.ts';

export interface WhyOptions {
  readonly id: string;
  /** The id of the program, or null for all programs. */
  readonly programId: number | null;
}

const KINDS = {
  transaction_id: 'transaction id',
  click_id: 'click id',
  customer_key: 'customer key',
  commission_id: 'commission',
} as const;

/**
 * Explains all decisions about an id, as the page "Why" of the dashboard does. Changes nothing. You can run the command
 * while the server is running.
 * The exit code is 1 if the id is unknown.
 * @throws CommandError if the program is unknown
 */
export async function runWhy(engine: Engine, { id, programId }: WhyOptions): Promise<CommandResult> {
  const explanations = await explainId({ engine, now: Date.now }, id, programId);
  if (explanations === null) throw new CommandError(`Program ${programId} does not exist`);
  return {
    exitCode: explanations.length === 0 ? 1 : 0,
    data: { id, explanations },
    lines:
      explanations.length === 0 ? describeUnknown(id) : explanations.flatMap((found) => describe(id, found)),
  };
}

function describeUnknown(id: string): string[] {
  return [
    `No order, click, customer or commission has the id "${id}", and no stored rejected call contains it.`,
    'Check that the call was sent, to this server, and with the token of the right program.',
  ];
}

function describe(id: string, { program, kind, trace, rejectedCalls }: Explanation): string[] {
  const title = `Program ${program.id} (${program.name})`;
  return [
    kind === null
      ? `${title}: nothing was recorded under "${id}", because the calls below were rejected.`
      : `${title}: ${KINDS[kind]} ${id}`,
    ...(trace ? [describeCustomer(trace.customer), ...trace.steps.map(describeStep)] : []),
    ...(rejectedCalls.length > 0 ? ['Rejected calls, newest first:'] : []),
    ...rejectedCalls.map(
      ({ at, route, code, reason, requestId }) =>
        `  ${at} ${route}: ${reason} (${code}, request ${requestId})`,
    ),
  ];
}

function describeCustomer(customer: Readonly<Record<string, unknown>>): string {
  const partner =
    customer['partner_id'] === null ? 'no partner' : `partner ${String(customer['partner_id'])}`;
  const key = customer['customer_key'] === null ? 'no key' : `key ${String(customer['customer_key'])}`;
  return `  Customer: ${key}, click id ${String(customer['click_id'])}, ${partner}`;
}

function describeStep({ at, step, reason, why }: NonNullable<Explanation['trace']>['steps'][number]): string {
  return `  ${at} ${step.replace('_', ' ')}: ${why} (${reason})`;
}
