import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as policies from '#messages/policies.ts';
import * as messages from '#messages/simulator.ts';
import { send } from '../../api/client.ts';
import type { ItemReply, Simulation } from '../../api/types.ts';
import { parseMoney, toInput } from '../../format/amount-input.ts';
import { formatExplanation } from '../../format/explanation.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { Candidates } from '../../ui/candidates.tsx';
import { CheckField, TextField } from '../../ui/controls.tsx';
import { Link } from '../../ui/link.tsx';
import { CHOOSE_PARTNER, PartnerField, UNKNOWN_PARTNER } from '../../ui/partner-field.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { type QueryState, useQueryState } from '../../ui/use-query-state.ts';
import { checkPolicyDraft, policyBodyOf, policyDraftOf } from './policy-draft.ts';
import { PolicyFields } from './policy-fields.tsx';

const DEFAULT_AMOUNT = 10_000;

/** The parameters of the URL with which the simulator starts. */
const PARAMETERS = [
  'amount',
  'currency',
  'tax',
  'shipping',
  'days',
  'window_days',
  'product_id',
  'products',
  'partner_id',
  'renewal',
  'policy_product_id',
  'policy_partner_id',
];

/** Returns the `key` of the simulator. When its parameters in the URL change, the simulator restarts with them. */
export function simulatorKey(query: QueryState): string {
  return JSON.stringify(PARAMETERS.map((name) => query[name]));
}

/**
 * Simulates the commission of a sale by the rules for real sales. Users can try a policy or an attribution window
 * without storing it.
 */
export function Simulator(): JSX.Element {
  const { program } = useProgram();
  const section = useRef<HTMLElement>(null);
  // Scroll to this section if the URL ends in `#simulator`. The browser could not do that when it opened the page,
  // because the section was not rendered yet.
  useEffect(() => {
    if (location.hash === '#simulator') section.current?.scrollIntoView();
  }, []);
  const [query] = useQueryState();
  const currency = query['currency'] ?? program.currency;
  const [amount, setAmount] = useState(() => toInput(Number(query['amount'] ?? DEFAULT_AMOUNT), currency));
  const [days, setDays] = useState(query['days'] ?? '3');
  const [windowDays, setWindowDays] = useState(query['window_days'] ?? String(program.cookie_window_days));
  const [productId, setProductId] = useState(query['product_id'] ?? '');
  const [partnerId, setPartnerId] = useState(query['partner_id'] ?? '');
  const [isRenewal, setRenewal] = useState(query['renewal'] === '1');
  const isNet = program.commission_base === 'net';
  const [tax, setTax] = useState(() => toInput(Number(query['tax'] ?? 0), currency));
  const [shipping, setShipping] = useState(() => toInput(Number(query['shipping'] ?? 0), currency));
  const lines = linesOf(query['products']);
  // A link with `window_days` asks only about the window, so the simulator starts with the stored policies.
  const [hasDraft, setHasDraft] = useState(
    query['amount'] !== undefined && query['window_days'] === undefined,
  );
  const [draft, setDraft] = useState(() => ({
    ...policyDraftOf(null, program.currency),
    productId: query['policy_product_id'] ?? '',
    partnerId: query['policy_partner_id'] ?? '',
  }));

  const amountWrong = common.amountWrong(toInput(4990, currency));
  const amountCents = parseMoney(amount, currency);
  const taxCents = isNet ? parseMoney(tax, currency) : 0;
  const shippingCents = isNet ? parseMoney(shipping, currency) : 0;
  const isBaseNegative = amountCents !== null && (taxCents ?? 0) + (shippingCents ?? 0) > amountCents;
  const isDaysValid = /^\d{1,4}$/.test(days) && Number(days) <= 3650;
  const isWindowValid = /^\d{1,3}$/.test(windowDays) && Number(windowDays) >= 1 && Number(windowDays) <= 365;
  const draftErrors = checkPolicyDraft(draft, program.currency);
  const isValid =
    amountCents !== null &&
    taxCents !== null &&
    shippingCents !== null &&
    !isBaseNegative &&
    isDaysValid &&
    isWindowValid &&
    partnerId !== UNKNOWN_PARTNER &&
    (!hasDraft || Object.keys(draftErrors).length === 0);
  const body = {
    amount_cents: amountCents,
    currency,
    ...(isNet && { tax_cents: taxCents, shipping_cents: shippingCents }),
    ...(lines && { line_items: lines }),
    days_since_click: Number(days),
    window_days: Number(windowDays),
    ...(productId.trim() !== '' && { product_id: productId.trim() }),
    ...(partnerId !== '' && { partner_id: Number(partnerId) }),
    ...(isRenewal && { is_recurring: true }),
    ...(hasDraft && { draft: policyBodyOf(draft, program.currency) }),
  };
  return (
    <section class="card stack" id="simulator" aria-labelledby="simulator-title" ref={section}>
      <div>
        <h2 id="simulator-title">{messages.simulator}</h2>
        <p class="quiet">{messages.simulatorIntro}</p>
      </div>
      <div class="grid fields">
        <TextField
          label={messages.saleAmountIn(currency)}
          inputMode="decimal"
          value={amount}
          onInput={setAmount}
          error={amountCents === null ? amountWrong : null}
        />
        {isNet &&
          (
            [
              [messages.taxIn, tax, setTax, taxCents],
              [messages.shippingIn, shipping, setShipping, shippingCents],
            ] as const
          ).map(([label, value, onInput, cents]) => (
            <TextField
              key={label}
              label={label(currency)}
              inputMode="decimal"
              value={value}
              onInput={onInput}
              error={cents === null ? amountWrong : isBaseNegative ? messages.deductionsTooHigh : null}
            />
          ))}
        <TextField
          label={isRenewal ? messages.daysOfRenewal : messages.days}
          inputMode="numeric"
          value={days}
          onInput={setDays}
          error={isDaysValid ? null : messages.daysWrong}
        />
        <TextField
          label={messages.windowDays}
          inputMode="numeric"
          value={windowDays}
          onInput={setWindowDays}
          error={isWindowValid ? null : messages.windowWrong}
        />
        <TextField
          label={policies.productId}
          placeholder={messages.anyProduct}
          value={productId}
          onInput={setProductId}
        />
        <PartnerField
          label={common.partner}
          placeholder={messages.anyPartner}
          value={partnerId}
          onChange={setPartnerId}
          error={partnerId === UNKNOWN_PARTNER ? CHOOSE_PARTNER : null}
        />
      </div>
      {query['products'] !== undefined && productId.trim() === '' && (
        <p class="quiet">
          {lines
            ? messages.products(formatList(lines.map((line) => line?.product_id ?? messages.noProduct)))
            : messages.productsLeftOut}
        </p>
      )}
      <div class="row spaced">
        <CheckField label={messages.isRenewal} checked={isRenewal} onChange={setRenewal} />
        <CheckField label={messages.tryAnother} checked={hasDraft} onChange={setHasDraft} />
      </div>
      {hasDraft && (
        <fieldset class="draft">
          <legend>{messages.policyToTry}</legend>
          <PolicyFields
            draft={draft}
            onChange={setDraft}
            errors={draftErrors}
            currency={program.currency}
            scope
          />
        </fieldset>
      )}
      <Result body={body} isValid={isValid} />
    </section>
  );
}

/** Reads the products of a sale from the URL. Returns null if there are none, or too many for a URL. */
function linesOf(text = ''): readonly ({ readonly product_id: string | null } | null)[] | null {
  try {
    const lines: unknown = JSON.parse(text);
    // The API checks the lines.
    return Array.isArray(lines) ? lines : null;
  } catch {
    return null;
  }
}

function Result({ body, isValid }: { body: object; isValid: boolean }): JSX.Element {
  const { api, page, program, may } = useProgram();
  const path = `${api}/commission-policies/simulate`;
  const result = useQuery<Simulation, Error>({
    queryKey: [path, body],
    queryFn: async () => (await send<ItemReply<Simulation>>('POST', path, body)).data,
    enabled: isValid,
    placeholderData: (previous) => previous,
  });
  // Do not show the result of the previous values next to values that are not valid.
  if (!isValid) return <p class="notice">{messages.correctFields}</p>;
  if (result.error) return <ErrorNotice error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <Skeleton height="96px" />;
  const { earns, amount_cents, currency, why, window_days, candidates } = result.data;
  return (
    <div class="stack" aria-live="polite" aria-busy={result.isPlaceholderData}>
      <div class={`card verdict ${earns ? 'good' : 'bad'}`}>
        <strong class="verdict-amount">
          {earns ? formatMoney(amount_cents, currency) : messages.noCommission}
        </strong>
        <p>{formatExplanation(why)}</p>
        {window_days !== program.cookie_window_days && (
          <p class="quiet small">
            {messages.programWindow(program.cookie_window_days)}{' '}
            {may('program:update') && <Link to={`${page}/settings`}>{messages.changeWindow}</Link>}
          </p>
        )}
      </div>
      {candidates.length > 0 && <Candidates candidates={candidates} />}
    </div>
  );
}
