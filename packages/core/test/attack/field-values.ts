import fc from 'fast-check';
import { PASSWORD } from '../support/management-world.ts';
import { type FieldValues, word } from './schema-values.ts';
import type { Tenant } from './tenant.ts';

/** The two tenants of a run. Requests are sent with credentials of `own`, or without valid credentials. */
export interface Scene {
  readonly own: Tenant;
  readonly foreign: Tenant;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether some requests have headers that are too large for HTTP servers. @default false */
  readonly hasHugeHeaders?: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Most values belong to the caller's tenant. Some are new, and some belong to the other tenant. */
export function fieldValues({ own, foreign, now }: Scene): FieldValues {
  const mix = <T>(ownValues: readonly T[], foreignValues: readonly T[], fresh?: fc.Arbitrary<T>) =>
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...ownValues) },
      { weight: 2, arbitrary: fc.constantFrom(...foreignValues) },
      ...(fresh ? [{ weight: 4, arbitrary: fresh }] : []),
    );
  const at = (from: number, to: number) =>
    fc.integer({ min: from, max: to }).map((ms) => new Date(now + ms).toISOString());
  const id = fc.uuid();
  const clickId = mix(own.known.clickIds, foreign.known.clickIds);
  const code = mix(own.known.codes, foreign.known.codes, word);
  const transactionId = mix(own.known.transactionIds, foreign.known.transactionIds, id);
  const programId = mix(own.rows.program, foreign.rows.program);
  const partnerId = mix(own.rows.partner, foreign.rows.partner);
  const payoutId = mix(own.rows.payout, foreign.rows.payout);
  const workspaceId = mix([own.workspaceId], [foreign.workspaceId]);
  const customerKey = mix(own.known.customerKeys, foreign.known.customerKeys, id);
  const email = mix(
    own.emails,
    own.emails,
    word.map((name) => `${name}@shop.test`),
  );
  const origin = fc.constantFrom(...own.known.origins, 'https://shop.example');
  const url = fc.tuple(origin, code, fc.constantFrom('', '&sub_id=1', '&aff=zz', '#x'));
  return {
    click_id: clickId,
    existing_click_id: clickId,
    customer_key: customerKey,
    transaction_id: transactionId,
    transaction_ids: fc.array(transactionId, { minLength: 1, maxLength: 5 }),
    processor_refs: fc.array(transactionId, { maxLength: 3 }),
    affiliate_url: url.map(([start, aff, end]) => `${start}/?aff=${aff}${end}`),
    program_id: programId,
    partner_id: partnerId,
    partner_ids: fc.array(partnerId, { maxLength: 3 }),
    excluded_partner_ids: fc.array(partnerId, { maxLength: 3 }),
    ids: fc.uniqueArray(mix([...own.rows.commission, ...own.rows.partner], foreign.rows.commission), {
      minLength: 1,
      maxLength: 3,
    }),
    items: fc.uniqueArray(
      payoutId.map((one) => ({ id: one })),
      { minLength: 1, maxLength: 2, selector: (item) => item.id },
    ),
    payout_id: payoutId,
    payout_ids: fc.array(payoutId, { minLength: 1, maxLength: 3 }),
    workspace_id: workspaceId,
    program_scope: fc.option(fc.array(programId, { maxLength: 2 })),
    product_id: fc.constantFrom(...own.productIds, 'new-product'),
    email,
    password: fc.constantFrom(PASSWORD, 'wrong password'),
    new_password: fc.constant(PASSWORD),
    code: word,
    form_token: mix(own.known.formTokens, foreign.known.formTokens),
    question: fc.constant('blog'),
    short_link: word,
    slug: word,
    token: mix([...own.inviteTokens, ...own.resetCodes], ['affi_unknown']),
    site_url: origin,
    allowed_origins: fc.array(origin, { maxLength: 2 }),
    cookie_domain: fc.constantFrom('shop.example', null),
    occurred_at: at(-80 * DAY_MS, 0),
    from: at(-80 * DAY_MS, -40 * DAY_MS),
    to: at(-30 * DAY_MS, 0),
    age_ms: fc.integer({ min: 0, max: 80 * DAY_MS }),
    expires_at: fc.option(at(HOUR_MS, 400 * DAY_MS)),
    dateFrom: at(-100 * DAY_MS, -HOUR_MS).map((text) => text.slice(0, 10)),
    dateTo: at(-HOUR_MS, DAY_MS),
    page: fc.constantFrom('1', '2', '1000000000000'),
    pageSize: fc.constantFrom('1', '10', '100', '101'),
    amount_cents: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.constantFrom(1, 999_999_999_999)),
    refund_amount_cents: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.constant(999_999_999_999)),
    idempotency_key: fc.constantFrom('key-1', 'key-2', 'key-3'),
    currency: fc.constantFrom('USD', 'usd', 'JPY', 'KWD', 'EUR'),
    subscription_id: fc.constantFrom('sub-1', 'sub-2'),
  };
}
