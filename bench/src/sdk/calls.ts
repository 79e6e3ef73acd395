import { createSaleSenders, type SendSale, sendSales, type TransportName } from './sale-senders.ts';

/** The result of one round with one sender. */
export interface CallRound {
  readonly callsPerSecond: number;
  /** CPU time of all threads of the process, including garbage collection. */
  readonly cpuMicrosPerCall: number;
}

/** The rounds of both senders, measured alternately. */
export interface CallRounds {
  readonly bare: readonly CallRound[];
  readonly sdk: readonly CallRound[];
}

/**
 * Measures one transport in a separate process: `calls.ts fetch|undici <baseUrl> <rounds> <calls>`. Each round
 * measures the calls of the SDK and the calls without it, one after the other. The order changes with every round.
 */
const [transport = 'fetch', baseUrl = '', rounds = '15', calls = '5000'] = process.argv.slice(2);
const senders = await createSaleSenders(transport as TransportName, baseUrl);
const measured: Record<keyof CallRounds, CallRound[]> = { bare: [], sdk: [] };
const WARM_UP_ROUNDS = 3;
for (let round = -WARM_UP_ROUNDS; round < Number(rounds); round++) {
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
