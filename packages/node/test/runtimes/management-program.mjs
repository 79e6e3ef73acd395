import * as sdk from '@affkit/node';
import { AffkitManagement, sendSales } from '@affkit/node/management';

const CLASSES = new Map(Object.entries(sdk));

/**
 * Uses the management client in plain JavaScript that runs in every runtime. The server must run `@affkit/core`, with
 * three partners and the click `clickId`. It must carry out the first adjustment but answer it with 503. It
 * must never answer requests for the program `silentId`. Nothing must listen at `refusedUrl`.
 */
export async function useManagement({ baseUrl, token, apiKey, programId, clickId, silentId, refusedUrl }) {
  const options = { apiKey, baseUrl, programId, logLevel: 'off' };
  const client = new AffkitManagement(options);
  const codes = [];
  for await (const partner of client.partners.list({ sort: 'name', order: 'asc', pageSize: 2 })) {
    codes.push(partner.links[0].short_link);
  }
  const sizes = [];
  for await (const { data, pageCount } of client.partners.list({ pageSize: 2 }).pages()) {
    sizes.push([data.length, pageCount]);
  }
  const stopped = new AbortController();
  const aborted = await nameOf(async () => {
    for await (const _ of client.partners.list({}, { signal: stopped.signal })) stopped.abort();
  });
  const csv = await new Response(await client.partners.exportCsv()).text();

  const affkit = new sdk.Affkit({ token, baseUrl, logLevel: 'off' });
  await affkit.lead({ click_id: clickId, customer_key: 'user-1' });
  const sale = (id, more) => ({
    transaction_id: id,
    amount_cents: 10_000,
    customer_key: 'user-1',
    ...more,
  });
  const batch = [
    sale('a'),
    sale('refused', { occurred_at: new Date(Date.now() + 86_400_000).toISOString() }),
    sale('invalid', { amount_cents: -1 }),
    sale('b'),
  ];
  const outcomes = {};
  for await (const { sale: sent, result, error } of sendSales(affkit, batch, { concurrency: 2 })) {
    outcomes[sent.transaction_id] = error === undefined ? result.status : [error.name, error.attempts];
  }

  const { data } = await client.commissions.list().page();
  const retries = [];
  const hooks = { onRetry: ({ outcome }) => retries.push(outcome) };
  const observed = new AffkitManagement({ ...options, hooks });
  const adjustment = { amount_cents: -500, reason: 'Return', idempotency_key: 'return-1' };
  const adjusted = await observed.commissions.adjust(data[0].id, adjustment);
  const repeated = await observed.commissions.adjust(data[0].id, adjustment);

  const unreachable = new AffkitManagement({ ...options, baseUrl: refusedUrl });
  const program = { name: 'Tea', site_url: 'https://tea.test', slug: 'tea' };
  const commission = { type: 'percent', rate: 10 };
  const create = () => client.programs.create({ ...program, commission });
  await create();
  return {
    codes,
    sizes,
    aborted,
    lines: csv.trim().split('\r\n').length,
    outcomes,
    adjusted: [adjusted.adjusted_cents, repeated.adjusted_cents],
    retries,
    errors: {
      missing: await nameOf(() => client.partners.get(999_999)),
      invalid: await nameOf(() => client.partners.create({ name: 'X', email: 'no address' })),
      taken: await nameOf(create),
      unknownKey: await nameOf(() =>
        new AffkitManagement({ ...options, apiKey: 'affk_unknown' }).programs.list().page(),
      ),
      timeout: await nameOf(() => client.programs.get(silentId, { timeoutMs: 200, maxRetries: 0 })),
      refused: await nameOf(() => unreachable.programs.get(programId, { maxRetries: 0 })),
      refusedWrite: await nameOf(() =>
        unreachable.programs.create({ ...program, commission }, { maxRetries: 1 }),
      ),
    },
  };
}

/** Returns the class, status and code of the error that a call throws. */
async function nameOf(call) {
  try {
    await call();
    return 'no error';
  } catch (error) {
    const isInstance = error instanceof sdk.AffkitError && error instanceof CLASSES.get(error.name);
    return isInstance ? [error.name, error.status ?? error.attempts, error.code] : String(error);
  }
}
