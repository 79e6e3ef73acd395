import type { Request } from 'autocannon';
import { type LoadResult, sendRequests } from './load.ts';
import type { RunningServer } from './process.ts';
import { type Program, prepareProgram, signIn } from './servers.ts';
import { visits } from './visits.ts';

/** Number of connections that send clicks, leads, or sales. */
export const CONNECTIONS = 64;
const CUSTOMERS = 200;

const JSON_HEADERS = { 'content-type': 'application/json' };

/** A customer of a program. */
interface Customer {
  readonly token: string;
  readonly key: string;
}

/**
 * Creates programs, each with one partner.
 * @param prefix if given, each program gets its own workspace, whose name begins with this prefix
 */
export async function createPrograms(
  server: RunningServer,
  amount: number,
  prefix?: string,
): Promise<[Program, ...Program[]]> {
  const call = await signIn(server.url);
  const first = await prepareProgram(call, prefix && `${prefix}-0`);
  const programs: [Program, ...Program[]] = [first];
  while (programs.length < amount) programs.push(await prepareProgram(call, `${prefix}-${programs.length}`));
  return programs;
}

/** Sends clicks of a program. @returns their click ids */
export async function sendClicks(
  server: RunningServer,
  { code }: Program,
  amount: number,
): Promise<string[]> {
  const ids: string[] = [];
  const requests = visits(code).map((visit) => ({
    ...visit,
    onResponse: (_status: number, body: string) => {
      ids.push((JSON.parse(body) as { click_id: string }).click_id);
    },
  }));
  await sendRequests(server.url, { requests, amount, connections: Math.min(amount, CONNECTIONS) });
  return ids;
}

/** Creates customers, each with a click and a lead, distributed evenly over the programs. */
export async function createCustomers(
  server: RunningServer,
  programs: readonly Program[],
): Promise<Customer[]> {
  const post = async <T>(kind: string, headers: Record<string, string>, body: unknown): Promise<T> => {
    const url = `${server.url}/api/v1/track/${kind}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${kind} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const customers: Customer[] = [];
  for (let index = 0; customers.length < CUSTOMERS; index++) {
    const made = programs.map(async (program) => {
      const customer = { token: program.token, key: `${program.code}-${index}` };
      const click = { affiliate_url: `https://shop.example/?aff=${program.code}` };
      const { click_id } = await post<{ click_id: string }>('click', JSON_HEADERS, click);
      await post('lead', headersOf(customer), { click_id, customer_key: customer.key });
      return customer;
    });
    customers.push(...(await Promise.all(made)));
  }
  return customers;
}

/** Sends a second click of each visitor. @param ids the click ids of the visitors */
export async function sendReturningClicks(
  server: RunningServer,
  { code }: Program,
  ids: readonly string[],
): Promise<LoadResult> {
  let sent = 0;
  const click = {
    method: 'POST' as const,
    path: '/api/v1/track/click',
    headers: JSON_HEADERS,
    setupRequest: (request: Request): Request => {
      const existing_click_id = ids[sent++];
      const affiliate_url = `https://shop.example/?aff=${code}`;
      return { ...request, body: JSON.stringify({ affiliate_url, existing_click_id }) };
    },
  };
  return await sendRequests(server.url, { requests: [click], amount: ids.length, connections: CONNECTIONS });
}

/** Creates clicks, and then sends a lead for each of them. */
export async function sendLeads(
  server: RunningServer,
  program: Program,
  name: string,
  amount: number,
): Promise<LoadResult> {
  return await sendLeadsOf(server, program, name, await sendClicks(server, program, amount));
}

/** Sends a lead of each visitor. @param ids the click ids of the visitors */
export async function sendLeadsOf(
  server: RunningServer,
  program: Program,
  name: string,
  ids: readonly string[],
): Promise<LoadResult> {
  const amount = ids.length;
  let sent = 0;
  const lead = {
    method: 'POST' as const,
    path: '/api/v1/track/lead',
    headers: headersOf(program),
    setupRequest: (request: Request): Request => {
      const index = sent++;
      return { ...request, body: JSON.stringify({ click_id: ids[index], customer_key: `${name}-${index}` }) };
    },
  };
  return await sendRequests(server.url, { requests: [lead], amount, connections: CONNECTIONS });
}

/** Sends sales. The customers take turns, so that each has about the same number of sales. */
export async function sendSales(
  server: RunningServer,
  customers: readonly Customer[],
  name: string,
  amount: number,
): Promise<LoadResult> {
  let sent = 0;
  const sale = {
    method: 'POST' as const,
    path: '/api/v1/track/sale',
    setupRequest: (request: Request): Request => {
      const index = sent++;
      const customer = customers[index % customers.length];
      if (!customer) throw new Error('There are no customers');
      const body = { transaction_id: `${name}-${index}`, amount_cents: 1999, customer_key: customer.key };
      return { ...request, headers: headersOf(customer), body: JSON.stringify(body) };
    },
  };
  return await sendRequests(server.url, { requests: [sale], amount, connections: CONNECTIONS });
}

function headersOf({ token }: { readonly token: string }): Record<string, string> {
  return { ...JSON_HEADERS, authorization: `Bearer ${token}` };
}
