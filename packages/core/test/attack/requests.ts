import fc from 'fast-check';
import { charge, event, invoice, paymentSession, subscriptionSession } from '../support/stripe-events.ts';
import { sign } from '../support/webhook-world.ts';
import { type EncodedBody, encodedBody } from './body-encodings.ts';
import { fieldValues, type Scene } from './field-values.ts';
import { HOSTILE_TEXTS, hostileText } from './hostile-values.ts';
import { mutated } from './mutations.ts';
import type { Api, Operation } from './operations.ts';
import { type FieldValues, SchemaValues } from './schema-values.ts';
import type { Caller, RowKind, Tenant } from './tenant.ts';

/** A generated request. The ids of its tenant's rows are filled in when it is sent. */
export interface Attack {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly method: string;
  readonly path: readonly PathPart[];
  /** With `?`, or empty. */
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: EncodedBody | undefined;
}

/**
 * `index` is a relative position in the list of rows: 0 selects the first row, and `MAX_INDEX` the last. The
 * rows of a program have the same relative position in every list, so the same index selects rows of one program.
 */
type PathPart = string | { readonly kind: RowKind; readonly index: number };
export const MAX_INDEX = 999;

/** Operations that invalidate credentials or rows, hash a password, or return the whole documentation. */
const CHOSEN_RARELY = /auth\/|regenerate|openapi\.json|\/docs|^DELETE|^PUT .*partners\/:partnerId$/;

const MALFORMED: readonly (readonly [name: string, authorization: string | undefined])[] = [
  ['none', undefined],
  ['none', undefined],
  ['empty header', ''],
  ['no token', 'Bearer'],
  ['empty token', 'Bearer   '],
  ['Basic', 'Basic YWRtaW46YWRtaW4='],
  ['malformed tracking token', 'Bearer aff_'],
  ['unknown tracking token', `Bearer aff_${'0'.repeat(36)}`],
  ['unknown key', `Bearer affk_${'0'.repeat(36)}`],
  ['unknown word', 'Bearer nothing'],
  ['two tokens', 'Bearer aff_a, Bearer affk_b'],
  ['unsigned JWT', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIiwic2lkIjoiMSJ9.'],
  ['JWT of another key', 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  ['JWT without a header', 'Bearer ..'],
  ['bare JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  ['long token', `Bearer ${'a'.repeat(6_000)}`],
  ['byte above 127', 'Bearer aff_\xff\xfe'],
];

const OTHER_METHODS = ['HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'GET', 'POST', 'PUT', 'DELETE', 'PROPFIND'];

const USER_AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  '',
  'a'.repeat(2_000),
  '\xff\xfe',
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
];

interface Sample {
  readonly seed: number;
  readonly count: number;
}

/**
 * Returns random requests by callers of the tenant `scene.own`, and by callers without a valid credential.
 */
export function randomAttacks(api: Api, scene: Scene, { seed, count }: Sample): Attack[] {
  return fc.sample(attacks(api, scene), { seed, numRuns: count });
}

function attacks(api: Api, scene: Scene): fc.Arbitrary<Attack> {
  const fields = fieldValues(scene);
  const values = new SchemaValues(api.schemas, fields);
  return fc.oneof(
    ...api.operations.map((operation) => ({
      weight: CHOSEN_RARELY.test(operation.key) ? 2 : 8,
      arbitrary: attackOn(operation, scene, fields, values),
    })),
  );
}

function attackOn(
  operation: Operation,
  scene: Scene,
  fields: FieldValues,
  values: SchemaValues,
): fc.Arbitrary<Attack> {
  return fc.record({
    operation: fc.constant(operation),
    caller: callerOf(operation, scene),
    method: fc.oneof(
      { weight: 30, arbitrary: fc.constant(operation.method) },
      { weight: 1, arbitrary: fc.constantFrom(...OTHER_METHODS) },
    ),
    path: pathOf(operation, scene),
    search: searchOf(operation, values),
    headers: operation.isWebhook ? fc.constant({}) : headersOf(scene),
    body: operation.isWebhook ? webhookBody(scene, fields) : bodyOf(operation, values),
  });
}

/**
 * Returns the callers that may have access to the operation. If the operation is public, half of the callers are
 * anonymous.
 */
export function fittingCallers({ access }: Operation, { callers }: Tenant): Caller[] {
  const fits = (name: string): boolean => {
    if (name.includes('revoked') || name.includes('expired') || name.includes('out')) return false;
    if (access === 'partner') return /(?:session|cookie) of partner/.test(name);
    if (access.includes('token')) return name.startsWith('token');
    if (access === 'session' || access === 'dashboard')
      return /(?:session|cookie) of (?:owner|admin)/.test(name);
    return /(?:session|cookie) of (?:owner|admin)|key with \*|key limited to the first/.test(name);
  };
  const nobody = { name: 'none', authorization: undefined, tenant: undefined };
  const isPublic = access === 'public' || access === 'optional_token';
  const fitting = callers.filter(({ name }) => fits(name));
  return isPublic ? [...fitting, ...fitting.map(() => nobody)] : fitting;
}

function callerOf(operation: Operation, { own }: Scene): fc.Arbitrary<Caller> {
  const invalid = MALFORMED.map(([name, authorization]) => ({ name, authorization, tenant: undefined }));
  // The scheme, such as `Bearer`, is case-insensitive, so this is the same credential.
  const otherCase = own.callers.map((one) => ({
    ...one,
    authorization: one.authorization?.replace('Bearer', 'bearer'),
  }));
  return fc.oneof(
    { weight: 14, arbitrary: fc.constantFrom(...fittingCallers(operation, own)) },
    { weight: 4, arbitrary: fc.constantFrom(...own.callers) },
    { weight: 1, arbitrary: fc.constantFrom(...otherCase) },
    { weight: 2, arbitrary: fc.constantFrom(...invalid) },
  );
}

function pathOf({ path, pathKinds }: Operation, { own, foreign }: Scene): fc.Arbitrary<readonly PathPart[]> {
  return fc.nat(MAX_INDEX).chain((index) => {
    const kinds = [...pathKinds];
    const parts = path.split('/').map((part): fc.Arbitrary<PathPart> => {
      if (part === ':slug') {
        return fc.oneof(
          { weight: 16, arbitrary: fc.constantFrom(...own.known.slugs) },
          { weight: 2, arbitrary: fc.constantFrom(...foreign.known.slugs) },
          { weight: 2, arbitrary: hostileText.map((text) => encodeText(text.slice(0, 300))) },
        );
      }
      const kind = part.startsWith(':') ? kinds.shift() : undefined;
      if (kind === undefined) return fc.constant(part);
      return fc.oneof(
        { weight: 16, arbitrary: fc.constant({ kind, index }) },
        { weight: 2, arbitrary: fc.nat(MAX_INDEX).map((other) => ({ kind, index: other })) },
        { weight: 2, arbitrary: fc.constantFrom(...foreign.rows[kind]).map(String) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('0', '-1', '1.0', '01', '1e3', '9007199254740993', '%00', '%'),
        },
        { weight: 1, arbitrary: hostileText.map((text) => encodeText(text.slice(0, 300))) },
      );
    });
    return fc.tuple(...parts);
  });
}

/** Percent-encodes a text. Replaces lone surrogates, which cannot be encoded. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function searchOf({ query }: Operation, values: SchemaValues): fc.Arbitrary<string> {
  const pairs = Object.entries(query).map(([name, schema]) =>
    fc
      .oneof(
        { weight: 8, arbitrary: values.of(schema, name).map(String) },
        { weight: 1, arbitrary: hostileText },
      )
      .map((value) => `${name}=${encodeText(value)}`),
  );
  const odd = fc.constantFrom(
    '__proto__=1',
    'a[b]=1',
    '%',
    '%zz=%zz',
    'page=1&page=x',
    '&&==',
    '=',
    'page',
    'é=%ff',
  );
  const search = fc.tuple(
    // Many routes require exactly one of their query parameters, or allow at most one.
    fc
      .oneof(
        fc.constant([]),
        fc.subarray(pairs, { maxLength: Math.min(1, pairs.length) }),
        fc.subarray(pairs),
      )
      .chain((chosen) => fc.tuple(...chosen)),
    fc.oneof(
      { weight: 10, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(odd, { maxLength: 3 }) },
    ),
  );
  return search.map(([known, others]) => {
    const text = [...known, ...others].join('&');
    return text === '' ? '' : `?${text}`;
  });
}

function headersOf({
  own,
  foreign,
  hasHugeHeaders = false,
}: Scene): fc.Arbitrary<Readonly<Record<string, string>>> {
  const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 8 });
  const headers = fc.record({
    origin: fc.option(
      fc.constantFrom(
        ...own.known.origins,
        ...foreign.known.origins,
        'null',
        'https://evil.example',
        '*',
        '',
      ),
      { freq: 3 },
    ),
    'user-agent': rarely(fc.constantFrom(...USER_AGENTS)),
    'sec-purpose': rarely(fc.constantFrom('prefetch', 'prefetch;prerender', 'x')),
    'sec-fetch-site': rarely(fc.constantFrom('same-origin', 'cross-site')),
    'x-forwarded-for': rarely(fc.constantFrom('1.2.3.4', '::1', 'x', '1.2.3.4, 5.6.7.8', '127.0.0.1')),
    'x-forwarded-proto': rarely(fc.constantFrom('https', 'x')),
    'if-none-match': rarely(fc.constantFrom('*', '"x"', 'W/"x"')),
    cookie: rarely(fc.constantFrom('service_click_id=x', '=;;=', 'a'.repeat(3_000))),
    'x-request-id': rarely(fc.constantFrom('req_1', 'x'.repeat(500), '<b>')),
    'accept-encoding': rarely(fc.constantFrom('gzip', 'br', '*;q=0')),
    'x-padding': fc.option(fc.constant('x'.repeat(hasHugeHeaders ? 20_000 : 2_000)), { freq: 30 }),
    'x-http-method-override': rarely(fc.constantFrom('DELETE', 'GET')),
  });
  return headers.map((all) =>
    Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)),
  );
}

function bodyOf({ method, body }: Operation, values: SchemaValues): fc.Arbitrary<EncodedBody | undefined> {
  if (body) return encodedBody(mutated(values.of(body)));
  const unexpected = encodedBody(fc.constantFrom({}, { id: 1 }, []));
  return method === 'GET' ? fc.option(unexpected, { freq: 20, nil: undefined }) : unexpected;
}

function webhookBody({ own, now }: Scene, fields: FieldValues): fc.Arbitrary<EncodedBody> {
  const metadata = fc.record(
    {
      // Stripe accepts only strings as metadata, so the types of the fixtures require strings. An attacker
      // may send other values.
      service_click_id: (fields['click_id'] ?? fc.constant('')) as fc.Arbitrary<string>,
      service_customer_key: (fields['customer_key'] ?? fc.constant('')) as fc.Arbitrary<string>,
      program_id: (fields['program_id'] ?? fc.constant(0)).map(String),
    },
    { requiredKeys: ['program_id'] },
  );
  const name = fc.oneof(fc.constantFrom('one', 'two', 'three'), fc.constantFrom(...own.known.transactionIds));
  const object = fc.tuple(name, metadata, fc.nat(5)).map(([id, data, type]) => {
    if (type === 0) return event('charge.refunded', charge('current', id, 500, 1999));
    if (type === 1) return event('invoice.payment_succeeded', invoice('current', id, id, data));
    if (type === 2) return event('invoice.paid', invoice('acacia', id, id, data));
    if (type === 3) return event('checkout.session.completed', subscriptionSession(id, data));
    if (type === 4) return event(HOSTILE_TEXTS[data['program_id'].length] ?? '', paymentSession(id, data));
    return event('checkout.session.completed', paymentSession(id, data));
  });
  const signature = fc.constantFrom(
    'valid',
    'valid',
    'valid',
    'wrong secret',
    'old',
    'none',
    't=,v1=',
    't=1e9,v1=zz',
  );
  return fc.tuple(encodedBody(mutated(object)), signature).map(([body, kind]) => {
    const payload = body.bytes.toString();
    const at = kind === 'old' ? now - 3_600_000 : now;
    const text =
      kind === 'valid' || kind === 'old'
        ? sign(payload, own.webhookSecret, at)
        : kind === 'wrong secret'
          ? sign(payload, 'whsec_of-somebody-else', at)
          : kind;
    return kind === 'none' ? body : { ...body, headers: { ...body.headers, 'stripe-signature': text } };
  });
}
