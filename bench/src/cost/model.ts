import { toMarkdownTable } from '../report.ts';

/** The traffic of an installation, and how long its clicks are stored. */
export interface Traffic {
  readonly clicksPerMonth: number;
  /** Leads per click. */
  readonly leads: number;
  /** Sales per click. */
  readonly sales: number;
  /** The rate of the busiest minute, divided by the mean rate. */
  readonly peak: number;
  /** Months for which clicks remain in the database. */
  readonly months: number;
  /** The share of clicks by new visitors. Only these clicks add a customer, and customers are never deleted. */
  readonly newVisitors: number;
}

/** The resources that one event uses. `npm run bench -- storage` measures and prints them. */
export interface EventUsage {
  /** Bytes of tables and indexes. */
  readonly dataBytes: number;
  /** Bytes that remain after old clicks are removed. */
  readonly remainingBytes: number;
  readonly walBytes: number;
  /** CPU time of Node, in microseconds. */
  readonly nodeMicros: number;
  /** CPU time of Postgres, in microseconds. */
  readonly databaseMicros: number;
}

/** Prices per month in US dollars, of one region of a large cloud. */
export interface Prices {
  readonly nodeCore: number;
  /** A core of a database server, with 8 GB of memory. */
  readonly databaseCore: number;
  readonly diskGb: number;
  /** Object storage for backups. */
  readonly backupGb: number;
  /** Traffic between zones, per GB. */
  readonly zoneGb: number;
}

/** Limits of one database server. A larger installation needs more servers. */
export interface ServerLimits {
  readonly cores: number;
  readonly diskGb: number;
  /** The share of the cores that the peak may use. */
  readonly load: number;
}

export const USAGE: Readonly<Record<'click' | 'lead' | 'sale', EventUsage>> = {
  // After a click is removed, the row of its visitor in `customers` remains.
  click: { dataBytes: 860, remainingBytes: 245, walBytes: 1200, nodeMicros: 60, databaseMicros: 35 },
  lead: { dataBytes: 880, remainingBytes: 880, walBytes: 2100, nodeMicros: 105, databaseMicros: 265 },
  sale: { dataBytes: 2600, remainingBytes: 2600, walBytes: 5400, nodeMicros: 215, databaseMicros: 460 },
};

/**
 * What events use on the coordinator of a Citus cluster. A sale uses disk space, because the coordinator stores its
 * transaction id. A click uses CPU time. `npm run bench -- storage` and `npm run bench -- scale` measure these values.
 */
export const COORDINATOR = { bytesPerSale: 315, microsPerClick: 20 };

const AMOUNTS: readonly number[] = [1e8, 1e9, 1e10];
export const TRAFFIC: Omit<Traffic, 'clicksPerMonth'> = {
  leads: 0.02,
  sales: 0.005,
  peak: 5,
  months: 13,
  newVisitors: 1,
};
export const LIMITS: ServerLimits = { cores: 16, diskGb: 4_000, load: 0.5 };
export const PRICES: Prices = { nodeCore: 30, databaseCore: 60, diskGb: 0.1, backupGb: 0.023, zoneGb: 0.02 };

/** Bytes of a click request and its reply, with headers, TLS, and TCP. */
const REQUEST_BYTES = 2_500;
const SECONDS_PER_MONTH = 30 * 86_400;
const MIN_NODES = 2;
const MONTHS_OF_TEN_YEARS = 120;
/**
 * The number of shards per server, as by default in `affkit cluster init`. It is more than one, because servers can be
 * added later, but shards cannot.
 */
const SHARDS_PER_SERVER = 4;
const MIN_SHARDS = 8;

/** What an installation needs, and what it costs in a month. */
export interface Plan {
  readonly meanPerSecond: number;
  readonly peakPerSecond: number;
  /** Server processes, each of which uses one core. */
  readonly nodes: number;
  readonly databaseCores: number;
  /** Postgres servers that hold data; each has a replica. With more than one, they are the workers of Citus. */
  readonly databaseServers: number;
  /** The disk space of all `databaseServers` together after ten years, without their replicas. */
  readonly diskGb: number;
  /** The coordinator of Citus. Null if one Postgres server is enough. */
  readonly coordinator: { readonly cores: number; readonly diskGb: number; readonly shards: number } | null;
  readonly walGbPerDay: number;
  readonly requestMbitAtPeak: number;
  readonly dollars: number;
}

/** Calculates what the traffic needs. Every database server has one replica and one backup. */
export function planFor(traffic: Traffic, limits: ServerLimits = LIMITS, prices: Prices = PRICES): Plan {
  const { clicksPerMonth, leads, sales, peak, months, newVisitors } = traffic;
  const perClick = (of: (usage: EventUsage) => number) =>
    of(USAGE.click) + leads * of(USAGE.lead) + sales * of(USAGE.sale);
  const meanPerSecond = clicksPerMonth / SECONDS_PER_MONTH;
  const peakPerSecond = meanPerSecond * peak;
  const coresAtPeak = (of: (usage: EventUsage) => number) => (peakPerSecond * perClick(of)) / 1e6;

  const nodes = Math.max(MIN_NODES, Math.ceil(coresAtPeak(({ nodeMicros }) => nodeMicros) / limits.load));
  const databaseCores = Math.max(
    2,
    Math.ceil(coresAtPeak(({ databaseMicros }) => databaseMicros) / limits.load),
  );
  const { dataBytes, remainingBytes } = USAGE.click;
  const clickGb = (clicksPerMonth * months * (dataBytes - remainingBytes)) / 1e9;
  // Visitors, leads, and sales are never deleted, so they are counted for ten years.
  const everBytes =
    newVisitors * remainingBytes + leads * USAGE.lead.remainingBytes + sales * USAGE.sale.remainingBytes;
  const diskGb = clickGb + (clicksPerMonth * MONTHS_OF_TEN_YEARS * everBytes) / 1e9;
  const databaseServers = Math.max(
    1,
    Math.ceil(databaseCores / limits.cores),
    Math.ceil(diskGb / limits.diskGb),
  );
  const coordinator =
    databaseServers === 1
      ? null
      : {
          cores: Math.max(2, Math.ceil((peakPerSecond * COORDINATOR.microsPerClick) / 1e6 / limits.load)),
          diskGb: (clicksPerMonth * MONTHS_OF_TEN_YEARS * sales * COORDINATOR.bytesPerSale) / 1e9,
          shards: Math.max(MIN_SHARDS, databaseServers * SHARDS_PER_SERVER),
        };
  const walGb = (clicksPerMonth * perClick(({ walBytes }) => walBytes)) / 1e9;
  const copies = 2;
  const cores = Math.max(databaseCores, databaseServers * 2);
  const storedGb = diskGb + (coordinator?.diskGb ?? 0);
  const dollars =
    nodes * prices.nodeCore +
    copies * ((cores + (coordinator?.cores ?? 0)) * prices.databaseCore + storedGb * prices.diskGb) +
    walGb * prices.zoneGb +
    storedGb * prices.backupGb;
  return {
    meanPerSecond,
    peakPerSecond,
    nodes,
    databaseCores: cores,
    databaseServers,
    diskGb,
    coordinator,
    walGbPerDay: walGb / 30,
    requestMbitAtPeak: (peakPerSecond * REQUEST_BYTES * 8) / 1e6,
    dollars,
  };
}

const whole = (value: number) => Math.ceil(value).toLocaleString('en');

/** Formats the plans for several numbers of clicks as a Markdown table. */
export function toPlanTable(
  amounts: readonly number[] = AMOUNTS,
  traffic: Omit<Traffic, 'clicksPerMonth'> = TRAFFIC,
  prices: Prices = PRICES,
): string {
  const plans = amounts.map((clicksPerMonth) => planFor({ ...traffic, clicksPerMonth }, LIMITS, prices));
  const row = (name: string, of: (plan: Plan) => string) => [name, ...plans.map(of)];
  return toMarkdownTable([
    ['clicks a month', ...amounts.map(whole)],
    row('mean and peak rate', (plan) => `${whole(plan.meanPerSecond)}/s, ${whole(plan.peakPerSecond)}/s`),
    row('server processes', (plan) => whole(plan.nodes)),
    row('Postgres servers', (plan) => whole(plan.databaseServers)),
    row('cores of Postgres', (plan) => whole(plan.databaseCores)),
    row('disk after ten years', (plan) => `${whole(plan.diskGb)} GB`),
    row('shards of Citus', ({ coordinator }) => (coordinator ? whole(coordinator.shards) : '–')),
    row('coordinator of Citus', ({ coordinator }) =>
      coordinator ? `${whole(coordinator.cores)} cores, ${whole(coordinator.diskGb)} GB` : '–',
    ),
    row('log (WAL) a day', (plan) => `${whole(plan.walGbPerDay)} GB`),
    row('requests at the peak', (plan) => `${whole(plan.requestMbitAtPeak)} Mbit/s`),
    row('cost a month', (plan) => `$${whole(plan.dollars)}`),
  ]);
}
