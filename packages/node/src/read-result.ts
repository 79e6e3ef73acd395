import { type ApiResponse, numberField, stringField } from './attempt.ts';
import { isRecord } from './input/check.ts';
import type {
  DeliveredByOperation,
  LeadDelivered,
  RefundDelivered,
  RefundRecorded,
  SaleDelivered,
  TestEvent,
} from './results.ts';
import type { Operation } from './retry.ts';
import type { SendResult } from './send.ts';

const READERS: { readonly [O in Operation]: (delivered: SendResult) => DeliveredByOperation[O] } = {
  sale: readSaleResult,
  refund: readRefundResult,
  lead: readLeadResult,
};

/** Builds the result of a successful call. */
export function readResult<O extends Operation>(
  operation: O,
  delivered: SendResult,
): DeliveredByOperation[O] {
  return READERS[operation](delivered);
}

function readSaleResult({ response, isDuplicate, attempts }: SendResult): SaleDelivered {
  const { body, requestId } = response;
  const ids = {
    ...optionalField('saleId', numberField(body, 'sale_id')),
    ...optionalField(
      'commissionId',
      body?.['commission_id'] === null ? null : numberField(body, 'commission_id'),
    ),
  };
  if (!isDuplicate) {
    const reason = optionalField('reason', stringField(body, 'reason'));
    return { status: 'recorded', ...ids, ...reason, ...readTestEvent(body), requestId, attempts };
  }
  const identical = body?.['identical'];
  return {
    status: 'duplicate',
    ...optionalField('ownedByCaller', OWNED_BY_CODE[response.code ?? '']),
    ...ids,
    ...optionalField('identical', typeof identical === 'boolean' ? identical : undefined),
    requestId,
    attempts,
  };
}

const OWNED_BY_CODE: Readonly<Record<string, boolean>> = {
  duplicate_transaction: true,
  transaction_id_taken: false,
};

function readRefundResult({ response, attempts }: SendResult): RefundDelivered {
  const { body, requestId } = response;
  const commissionId = optionalField('commissionId', numberField(body, 'commission_id'));
  const outcome = stringField(body, 'status');
  if (outcome === 'skipped') {
    const reason = optionalField('reason', stringField(body, 'reason'));
    const message = optionalField('message', stringField(body, 'message'));
    return { status: 'duplicate', outcome, ...reason, ...message, ...commissionId, requestId, attempts };
  }
  return {
    status: 'recorded',
    ...optionalField('outcome', isOutcome(outcome) ? outcome : undefined),
    ...optionalField('deductionAmount', numberField(body, 'deductionAmount')),
    ...commissionId,
    ...readTestEvent(body),
    requestId,
    attempts,
  };
}

function isOutcome(text: string | undefined): text is NonNullable<RefundRecorded['outcome']> {
  return text === 'reversed' || text === 'refunded' || text === 'no_commission';
}

function readLeadResult({ response, isDuplicate, attempts }: SendResult): LeadDelivered {
  const { body, requestId } = response;
  if (isDuplicate) return { status: 'duplicate', requestId, attempts };
  return { status: 'recorded', ...readTestEvent(body), requestId, attempts };
}

function readTestEvent(body: ApiResponse['body']): { testEvent?: TestEvent } {
  const data = body?.['data'];
  if (!isRecord(data)) return {};
  const { eventId, programId } = data;
  return typeof eventId === 'number' && typeof programId === 'number'
    ? { testEvent: { eventId, programId } }
    : {};
}

/** Returns an object with the field, or an empty object if the value is undefined. */
function optionalField<K extends string, V>(name: K, value: V): { [N in K]?: Exclude<V, undefined> } {
  const fields: { [N in K]?: Exclude<V, undefined> } = {};
  if (value !== undefined) Object.assign(fields, { [name]: value });
  return fields;
}
