import { trackRefundRequest } from '@affkit/protocol';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { findSale } from '../storage/tracking/sales.ts';
import { createRecorders } from './recorders.ts';
import { type ChainStep, runChainTest } from './test-chain.ts';
import type { RecordedTestEvent } from './track-click.ts';
import { trackTestRefund } from './track-test-refund.ts';

/** A step of the chain from a click to a refund. `code` is null if the step was recorded. */
export interface OperatorChainStep {
  readonly step: ChainStep['step'] | 'refund';
  readonly ok: boolean;
  readonly message: string;
  readonly code: string | null;
}

/**
 * Records a click, a lead, a sale, and a refund of this sale for a program, all in test mode; see
 * `runChainTest`. A program can run this test 10 times in an hour, and this call counts as one run.
 * @returns a `not_found` or `rate_limited` rejection if the test did not run
 */
export async function runOperatorChain(
  runtime: Runtime,
  programId: number,
): Promise<readonly OperatorChainStep[] | Rejection> {
  const program = await findProgram(runtime.engine.read, programId);
  if (!program) return new Rejection('not_found');
  const recorders = createRecorders(runtime);
  try {
    const steps = await runChainTest(runtime, recorders, program);
    if (isRejection(steps)) return steps;
    const sale = steps.find(({ step }) => step === 'sale')?.outcome;
    const refund =
      sale && !isRejection(sale)
        ? await refundTestSale(runtime, program, sale)
        : new Rejection('sale_not_found', 'The sale was not recorded, so there is nothing to refund');
    return [...steps, { step: 'refund' as const, outcome: refund }].map(describeStep);
  } finally {
    await recorders.refusals.close();
  }
}

async function refundTestSale(
  runtime: Runtime,
  program: ProgramAccount,
  { eventId }: RecordedTestEvent,
): Promise<RecordedTestEvent | Rejection> {
  const sale = await findSale(runtime.engine.read, program.id, eventId);
  if (!sale) return new Rejection('sale_not_found');
  const refund = trackRefundRequest.parse({ transaction_id: sale.processor_event_id });
  return await trackTestRefund(runtime, program, refund);
}

function describeStep({
  step,
  outcome,
}: {
  readonly step: OperatorChainStep['step'];
  readonly outcome: RecordedTestEvent | Rejection;
}): OperatorChainStep {
  return isRejection(outcome)
    ? { step, ok: false, message: outcome.message, code: outcome.code }
    : { step, ok: true, message: `Test ${step} recorded`, code: null };
}
