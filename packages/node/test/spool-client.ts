import { onTestFinished } from 'vitest';
import type { SaleInput } from '../src/input/events.ts';
import type { AffkitOptions } from '../src/options.ts';
import { type FileSpoolOptions, fileSpool } from '../src/spool/index.ts';
import { makeClient, type TestClient } from './client.ts';
import type { FakeServer } from './fake-server.ts';

/** A client with a spool, and what the callbacks of the spool reported. */
export interface SpoolClient extends TestClient {
  readonly dead: unknown[];
  readonly delivered: string[];
}

export const saleOf = (id: string) => ({ transaction_id: id, amount_cents: 100, customer_key: `key-${id}` });

/** Simulates an unreachable server. */
export const down = () => {
  throw new Error('connect ECONNREFUSED');
};

/** Leaves an undelivered sale in a folder, like a process that stopped while the server was down. */
export function leaveSale(dir: string, server: FakeServer, sale: SaleInput): Promise<void> {
  return leaveEvent(dir, server, (affkit) => affkit.sale(sale));
}

/** Like `leaveSale`, but for the event that `call` stores. */
export async function leaveEvent(
  dir: string,
  server: FakeServer,
  call: (affkit: TestClient['affkit']) => Promise<unknown>,
): Promise<void> {
  server.fault = down;
  const { affkit } = startSpool(dir, server);
  await call(affkit);
  await affkit.close();
}

/**
 * Starts a client with a spool in a folder, which several clients may share. The client is closed when the test
 * ends.
 */
export function startSpool(
  dir: string,
  server: FakeServer,
  spoolOptions: Partial<FileSpoolOptions> = {},
  options: AffkitOptions = {},
): SpoolClient {
  const dead: unknown[] = [];
  const delivered: string[] = [];
  const client = makeClient({
    spool: fileSpool({
      dir,
      onDead: ({ error }) => dead.push(error),
      onDelivered: ({ operation, result }) => delivered.push(`${operation} ${result.status}`),
      ...spoolOptions,
    }),
    transport: server.transport,
    maxRetries: 0,
    ...options,
  });
  onTestFinished(() => client.affkit.close());
  return { ...client, dead, delivered };
}
