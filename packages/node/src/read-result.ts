import { type Reply, readNumber, readText } from './attempt.ts';
import { isRecord } from './input/check.ts';
import type {
  DeliveredOf,
  LeadDelivered,
  RefundDelivered,
  RefundRecorded,
  SaleDelivered,
  TestEvent,
} from './results.ts';
import type { Operation } from './retry.ts';
import type { Delivered } from './send.ts';

const READERS: { readonly [O in Operation]: (delivered: Delivered) => DeliveredOf[O] } = {
  sale: readSaleResult,
  refund: readRefundResult,
  lead: readLeadResult,
};

/** What a delivered call came to. */
export function readResult<O extends Operation>(operation: O, delivered: Delivered): DeliveredOf[O] {
  return READERS[operation](delivered);
}

function readSaleResult({ reply, isDuplicate, attempts }: Delivered): SaleDelivered {
  const { body, requestId } = reply;
  const ids = {
    ...present('saleId', readNumber(body, 'sale_id')),
    ...present('commissionId', body?.['commission_id'] === null ? null : readNumber(body, 'commission_id')),
  };
  if (!isDuplicate) {
    const reason = present('reason', readText(body, 'reason'));
    return { status: 'recorded', ...ids, ...reason, ...readTestEvent(body), requestId, attempts };
  }
  const identical = body?.['identical'];
  return {
    status: 'duplicate',
    ...present('ownedByCaller', OWNED_BY_CODE[reply.code ?? '']),
    ...ids,
    ...present('identical', typeof identical === 'boolean' ? identical : undefined),
    requestId,
    attempts,
  };
}

const OWNED_BY_CODE: Readonly<Record<string, boolean>> = {
  duplicate_transaction: true,
  transaction_id_taken: false,
};

function readRefundResult({ reply, attempts }: Delivered): RefundDelivered {
  const { body, requestId } = reply;
  const commissionId = present('commissionId', readNumber(body, 'commission_id'));
  const outcome = readText(body, 'status');
  if (outcome === 'skipped') {
    const reason = present('reason', readText(body, 'reason'));
    return { status: 'duplicate', outcome, ...reason, ...commissionId, requestId, attempts };
  }
  return {
    status: 'recorded',
    ...present('outcome', isOutcome(outcome) ? outcome : undefined),
    ...present('deductionAmount', readNumber(body, 'deductionAmount')),
    ...commissionId,
    requestId,
    attempts,
  };
}

function isOutcome(text: string | undefined): text is NonNullable<RefundRecorded['outcome']> {
  return text === 'reversed' || text === 'refunded' || text === 'no_commission';
}

function readLeadResult({ reply, isDuplicate, attempts }: Delivered): LeadDelivered {
  const { body, requestId } = reply;
  if (isDuplicate) return { status: 'duplicate', requestId, attempts };
  return { status: 'recorded', ...readTestEvent(body), requestId, attempts };
}

function readTestEvent(body: Reply['body']): { testEvent?: TestEvent } {
  const data = body?.['data'];
  if (!isRecord(data)) return {};
  const { eventId, programId } = data;
  return typeof eventId === 'number' && typeof programId === 'number'
    ? { testEvent: { eventId, programId } }
    : {};
}

/** A field that is left out where its value isn't there. */
function present<K extends string, V>(name: K, value: V): { [N in K]?: Exclude<V, undefined> } {
  const fields: { [N in K]?: Exclude<V, undefined> } = {};
  if (value !== undefined) Object.assign(fields, { [name]: value });
  return fields;
}
