import { join } from 'node:path';
import type { Request } from 'autocannon';
import { type LoadResult, sendRequests } from '../load.ts';
import { type RunningServer, withServers } from '../process.ts';
import { type Section, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import {
  type Program,
  prepareProgram,
  signIn,
  startExpress,
  startOneByOne,
  startReference,
} from '../servers.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 5;
const AMOUNT = 4_000;
const CONNECTIONS = 64;
const PROGRAMS = 100;
const CUSTOMERS = 200;

const EXPRESS = 'Express 5, constant answer';
const LEADS_SQLITE = 'leads, SQLite';
const LEADS_POSTGRES = 'leads, Postgres';
const SALES_SQLITE = 'sales, SQLite';
const SALES_POSTGRES = 'sales, Postgres, 1 program';
const SALES_MANY = `sales, Postgres, ${PROGRAMS} programs`;
const ONE_BY_ONE = 'one transaction per sale, pool of 10, 1 program';
const ONE_BY_ONE_MANY = `one transaction per sale, pool of 10, ${PROGRAMS} programs`;

const JSON_HEADERS = { 'content-type': 'application/json' };

/** A customer of a program. */
interface Customer {
  readonly token: string;
  readonly key: string;
}

/** Measures leads and sales on the reference server. */
export async function conversions(context: Context): Promise<Section> {
  return await withServers(async (start) => {
    const amount = scaled(AMOUNT, context);
    const { folder, postgres } = context;
    const express = await start(startExpress());
    const sqlite = await start(startReference(`sqlite:${join(folder, 'conversions.db')}`));
    const onPostgres = await start(startReference(await postgres.createDatabase()));
    const many = await start(startReference(await postgres.createDatabase()));
    const oneByOne = await start(startOneByOne(await postgres.createDatabase()));
    const oneByOneMany = await start(startOneByOne(await postgres.createDatabase()));
    const leads = async (name: string, server: RunningServer) => {
      const [program] = await programsOf(server, 1);
      return { name, run: (round: number) => sendLeads(server, program, `${name}-${round}`, amount) };
    };
    const sales = async (name: string, server: RunningServer, programs = 1) => {
      const customers = await customersOf(server, await programsOf(server, programs, 'sales'));
      return { name, run: (round: number) => sendSales(server, customers, `s${round}`, amount) };
    };
    const noCustomer = [{ token: 'aff_none', key: 'nobody' }];
    const of = await runInterleaved<LoadResult>(
      ROUNDS,
      [
        { name: EXPRESS, run: (round) => sendSales(express, noCustomer, `s${round}`, amount * 5) },
        await leads(LEADS_SQLITE, sqlite),
        await sales(SALES_SQLITE, sqlite),
        await leads(LEADS_POSTGRES, onPostgres),
        await sales(SALES_POSTGRES, onPostgres),
        await sales(ONE_BY_ONE, oneByOne),
        await sales(SALES_MANY, many, PROGRAMS),
        await sales(ONE_BY_ONE_MANY, oneByOneMany, PROGRAMS),
      ],
      ({ perSecond }) => `${Math.round(perSecond)}/s`,
    );
    const rate = (name: string) => ({ name, unit: '/s', rounds: of(name).map((one) => one.perSecond) });
    return {
      id: 'conversions',
      title: 'Leads and sales',
      text:
        'Leads and sales per second of the server. Each sale writes a commission, its ledger entries, balances, and totals. ' +
        '"One transaction per sale" is the same service without batches, over a pool of 10 connections. ' +
        `Each of the ${PROGRAMS} programs has its own workspace. ${ROUNDS} alternating rounds of ${amount.toLocaleString('en')} requests over ${CONNECTIONS} connections.`,
      figures: [
        rate(EXPRESS),
        withRatio(rate(LEADS_SQLITE), rate(EXPRESS)),
        withRatio(rate(LEADS_POSTGRES), rate(EXPRESS)),
        withRatio(rate(SALES_SQLITE), rate(EXPRESS), { least: 0.25 }),
        rate(ONE_BY_ONE),
        withRatio(rate(SALES_POSTGRES), rate(ONE_BY_ONE), { least: 2 }),
        rate(ONE_BY_ONE_MANY),
        withRatio(rate(SALES_MANY), rate(ONE_BY_ONE_MANY), { least: 2 }),
      ],
    };
  });
}

async function programsOf(
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
async function clickIds(server: RunningServer, { code }: Program, amount: number): Promise<string[]> {
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

async function customersOf(server: RunningServer, programs: readonly Program[]): Promise<Customer[]> {
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

/** Sends leads. Each request has its own click, which is created before the measurement. */
async function sendLeads(
  server: RunningServer,
  program: Program,
  name: string,
  amount: number,
): Promise<LoadResult> {
  const ids = await clickIds(server, program, amount);
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

async function sendSales(
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
