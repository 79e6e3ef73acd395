import { openSenders, type SendSale, sendSales, type TransportName } from './senders.ts';

/** One round of one sender. */
export interface CallRound {
  readonly callsPerSecond: number;
  /** Of the whole process: all its threads, also the collector's. */
  readonly cpuMicrosPerCall: number;
}

/** Rounds of both senders, pair by pair. */
export interface CallRounds {
  readonly bare: readonly CallRound[];
  readonly sdk: readonly CallRound[];
}

/**
 * A process of its own that measures one transport: `calls.ts fetch|undici <baseUrl> <rounds> <calls>`. The two
 * take turns, and in every other round the second begins.
 */
const [transport = 'fetch', baseUrl = '', rounds = '15', calls = '5000'] = process.argv.slice(2);
const senders = await openSenders(transport as TransportName, baseUrl);
const measured: Record<keyof CallRounds, CallRound[]> = { bare: [], sdk: [] };
const WARM_UP = 3;
for (let round = -WARM_UP; round < Number(rounds); round++) {
  const order = round % 2 === 0 ? (['bare', 'sdk'] as const) : (['sdk', 'bare'] as const);
  for (const name of order) {
    const result = await measure(senders[name]);
    if (round >= 0) measured[name].push(result);
  }
}
process.stdout.write(JSON.stringify(measured));
process.exit();

async function measure(send: SendSale): Promise<CallRound> {
  const amount = Number(calls);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await sendSales(send, amount);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { callsPerSecond: amount / seconds, cpuMicrosPerCall: (user + system) / amount };
}
