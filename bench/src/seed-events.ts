import { type Affkit, createAffkit, type Engine, rebuildTotals } from '@affkit/core';
import { sql } from 'kysely';
import { withoutIndexes } from './bulk-load.ts';
import { type PartnerShares, seedPartners } from './seed-partners.ts';
import { OWNER, SECRET } from './servers.ts';

const DAYS = 200;
const DAY_MS = 86_400_000;
const BATCH = 250_000;
/** Clicks and leads per 100 events. The rest are sales. */
const CLICKS = 90;
const LEADS = 8;

/** A database with the events of one program. */
export interface SeededProgram {
  readonly affkit: Affkit;
  /** Number of events. */
  readonly size: number;
  readonly programId: number;
  readonly token: string;
}

/**
 * Opens a database for each size, and fills it directly, without requests. Reuses a database that is already
 * filled.
 * @param partners number of partners that share the events; with 0, the events belong to no partner
 */
export async function seedPrograms(
  kind: string,
  sizes: readonly number[],
  open: (size: number) => Promise<Engine>,
  partners = 0,
  secret = SECRET,
): Promise<SeededProgram[]> {
  const programs: SeededProgram[] = [];
  for (const size of sizes) {
    const affkit = createAffkit({ engine: await open(size), secret });
    const begin = performance.now();
    programs.push({ affkit, size, ...(await seedEvents(affkit, size, partners)) });
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    process.stderr.write(`  ${kind}: ${size.toLocaleString('en')} events seeded in ${seconds} s\n`);
  }
  return programs;
}

/**
 * Fills an empty database with events of one program, spread evenly over the last 200 days, and builds the
 * totals of the program. With partners, it also runs the background jobs once. They count the clicks of each link, and
 * the events by country, by device, and so on.
 */
export async function seedEvents(
  affkit: Affkit,
  amount: number,
  partners = 0,
): Promise<{ readonly programId: number; readonly token: string }> {
  const { engine } = affkit.runtime;
  await affkit.migrate();
  await affkit.ensureFirstOwner(OWNER);
  const { token } = await callApi<{ token: string }>(affkit, '/api/auth/login', OWNER);
  const seeded = await findSeededProgram(affkit, token, amount);
  if (seeded !== null) {
    await affkit.jobs.runOnce();
    return { programId: seeded, token };
  }
  const program = {
    name: 'Bench',
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 20 },
  };
  const { data } = await callApi<{ data: { id: number } }>(
    affkit,
    '/api/advertiser/affiliate-programs',
    program,
    token,
  );
  const shares = partners > 0 ? await seedPartners(engine, data.id, partners) : NO_PARTNERS;
  const end = Date.now();
  await withoutIndexes(engine, async () => {
    for (let from = 0; from < amount; from += BATCH) {
      await seedBatch(engine, data.id, { from, to: Math.min(from + BATCH, amount), amount, end }, shares);
    }
    await shares.finish();
  });
  await rebuildTotals(affkit.runtime, data.id);
  if (partners > 0) await affkit.jobs.runOnce();
  // Autovacuum would do this about a minute later.
  if (engine.dialect === 'postgres') {
    await sql`VACUUM ANALYZE`.execute(engine.read);
    // The seeded rows have explicit ids, so advance the sequence past them.
    await sql`SELECT setval(pg_get_serial_sequence('customers', 'id'), GREATEST(1, MAX(id))) FROM customers`.execute(
      engine.read,
    );
  }
  return { programId: data.id, token };
}

/** @throws when an earlier run has not finished filling the database */
async function findSeededProgram(affkit: Affkit, token: string, amount: number): Promise<number | null> {
  const programs = '/api/advertiser/affiliate-programs';
  const { data } = await callApi<{ data: { id: number }[] }>(affkit, programs, undefined, token);
  const [program] = data;
  if (!program) return null;
  const events = `/api/tracking/events/${program.id}`;
  type EventPage = { meta: { pagination: { total: number } } };
  const { meta } = await callApi<EventPage>(affkit, events, undefined, token);
  const { total } = meta.pagination;
  if (total === amount) return program.id;
  throw new Error(
    `The database has ${total} events instead of ${amount}, because an earlier run did not finish. Delete the database.`,
  );
}

const NO_PARTNERS: PartnerShares = {
  partnerOf: () => 'CAST(NULL AS BIGINT)',
  linkOf: () => '1',
  finish: async () => {},
};

interface SeedBatch {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
  readonly end: number;
}

async function seedBatch(
  engine: Engine,
  programId: number,
  { from, to, amount, end }: SeedBatch,
  { partnerOf, linkOf }: PartnerShares,
): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1})`;
  const at = `${end - DAYS * DAY_MS} + (i * ${Math.floor((DAYS * DAY_MS) / 1000)} / ${amount}) * 1000 + i % 1000`;
  const customer = `(i / 100 * ${LEADS} + i % ${LEADS} + 1)`;
  const lead = `(i / 100 * ${LEADS} + i % 100 - ${CLICKS} + 1)`;
  const statements = [
    `INSERT INTO customers (program_id, id, click_id, partner_id, link_id, customer_key, status, last_click_at, created_at)
      ${numbers} SELECT ${programId}, ${customer}, 'clk_' || i, ${partnerOf(customer)}, ${linkOf(customer)},
        'key-' || ${customer}, 'lead', ${at}, ${at} FROM n WHERE i % 100 < ${LEADS}`,
    `INSERT INTO click_events (program_id, customer_id, partner_id, link_id, click_id, page_url, geo_country, device_type,
      browser_name, is_test, click_at, created_at)
      ${numbers} SELECT ${programId}, ${customer}, ${partnerOf(customer)}, ${linkOf(customer)}, 'clk_' || i,
        'https://shop.example/landing/' || i % 40, 'DE', 'mobile', 'Firefox', 0, ${at}, ${at}
      FROM n WHERE i % 100 < ${CLICKS}`,
    `INSERT INTO lead_events (program_id, customer_id, partner_id, click_id, source, is_test, lead_at, created_at)
      ${numbers} SELECT ${programId}, ${lead}, ${partnerOf(lead)}, 'clk_' || i, 'server', 0, ${at}, ${at}
      FROM n WHERE i % 100 >= ${CLICKS} AND i % 100 < ${CLICKS + LEADS}`,
    `INSERT INTO sales (program_id, customer_id, partner_id, processor_event_id, amount_cents, currency, sale_type,
      payment_status, is_recurring, is_test, sale_at, created_at)
      ${numbers} SELECT ${programId}, ${customer}, ${partnerOf(customer)}, 'txn_' || i, 1999 + i % 1000, 'USD', 'payment',
        'paid', 0, 0, ${at}, ${at}
      FROM n WHERE i % 100 >= ${CLICKS + LEADS}`,
  ];
  await engine.write(programId, async ({ db }) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  });
}

/** Calls a route in this process, without the network, as an adapter does. @throws if the status is not 2xx */
export async function callApi<T>(
  affkit: Affkit,
  path: string,
  body?: unknown,
  token?: string,
  method = body === undefined ? 'GET' : 'POST',
): Promise<T> {
  const url = new URL(path, 'http://bench.example');
  const headers: Record<string, string | undefined> = {
    host: url.host,
    'content-type': 'application/json',
    authorization: token === undefined ? undefined : `Bearer ${token}`,
  };
  const reply = await affkit.handle({
    method,
    path: url.pathname,
    query: url.searchParams,
    header: (name) => headers[name],
    body: async () => new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    ip: '203.0.113.7',
    secure: true,
  });
  if (!reply || reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply)}`);
  return reply.body as T;
}
