import { join } from 'node:path';
import { CONNECTIONS, createCustomers, createPrograms, sendLeads, sendSales } from '../conversion-load.ts';
import type { LoadResult } from '../load.ts';
import { type RunningServer, withServers } from '../process.ts';
import { type Section, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import { startExpress, startOneByOne, startReference } from '../servers.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 5;
const AMOUNT = 4_000;
const PROGRAMS = 100;

const EXPRESS = 'Express 5 (constant answer)';
const LEADS_SQLITE = 'leads, SQLite';
const LEADS_POSTGRES = 'leads, Postgres';
const SALES_SQLITE = 'sales, SQLite';
const SALES_POSTGRES = 'sales, Postgres, 1 program';
const SALES_MANY = `sales, Postgres, ${PROGRAMS} programs`;
const ONE_BY_ONE = 'one transaction per sale, pool of 10, 1 program';
const ONE_BY_ONE_MANY = `one transaction per sale, pool of 10, ${PROGRAMS} programs`;

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
      const [program] = await createPrograms(server, 1);
      return { name, run: (round: number) => sendLeads(server, program, `${name}-${round}`, amount) };
    };
    const sales = async (name: string, server: RunningServer, programs = 1) => {
      const customers = await createCustomers(server, await createPrograms(server, programs, 'sales'));
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
