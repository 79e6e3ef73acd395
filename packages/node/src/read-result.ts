import { type ApiResponse, numberField, stringField } from './attempt.ts';
import { isRecord } from './input/check.ts';
import type { DeliveredByOperation, TestEvent } from './results.ts';
import type { Operation } from './retry.ts';
import type { SendResult } from './send.ts';

const OWNED_BY_CODE: Readonly<Record<string, boolean>> = {
  duplicate_transaction: true,
  transaction_id_taken: false,
};

/** Builds the result of a successful call. `classifyReply` must have accepted the body before. */
export function readResult<O extends Operation>(
  operation: O,
  { response, isDuplicate, attempts }: SendResult,
): DeliveredByOperation[O] {
  const { body, code, requestId } = response;
  const outcome = operation === 'refund' ? body?.['status'] : undefined;
  const isSkipped = outcome === 'skipped';
  const identical = body?.['identical'];
  const result: Record<string, unknown> = {
    status: isDuplicate || isSkipped ? 'duplicate' : 'recorded',
    outcome,
    ownedByCaller: OWNED_BY_CODE[code ?? ''],
    identical: typeof identical === 'boolean' ? identical : undefined,
    saleId: numberField(body, 'sale_id'),
    commissionId: body?.['commission_id'] === null ? null : numberField(body, 'commission_id'),
    deductionAmount: numberField(body, 'deductionAmount'),
    reason: stringField(body, 'reason'),
    message: isSkipped ? stringField(body, 'message') : undefined,
    testEvent: readTestEvent(body),
  };
  const present = Object.entries(result).filter(([, value]) => value !== undefined);
  // The cast is safe: `classifyReply` has checked the body of this operation.
  return { ...Object.fromEntries(present), requestId, attempts } as unknown as DeliveredByOperation[O];
}

function readTestEvent(body: ApiResponse['body']): TestEvent | undefined {
  const data = body?.['data'];
  if (!isRecord(data)) return undefined;
  const { eventId, programId } = data;
  return typeof eventId === 'number' && typeof programId === 'number' ? { eventId, programId } : undefined;
}
