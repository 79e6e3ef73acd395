import type { Transport, TransportRequest } from '../src/transport.ts';
import { duplicateSale, RECORDED } from './replies.ts';

type Reply = readonly [status: number, body: object];
type Event = Readonly<Record<string, unknown>>;

/** An in-memory server that records each event once, like Affkit. */
export interface FakeServer {
  readonly transport: Transport;
  /** One line per answered request, e.g. `sale order-1 200`. */
  readonly log: string[];
  /** The request bodies, as they were sent. */
  readonly bodies: string[];
  /** The recorded events, in order. */
  readonly recorded: Event[];
  /**
   * Simulates a fault: returns a reply that replaces the response, or throws to simulate a broken connection. Returns
   * undefined for no fault.
   */
  fault: (operation: string, event: Event) => Reply | undefined;
}

export function fakeServer(): FakeServer {
  const sales = new Set<unknown>();
  const refunds = new Set<unknown>();
  const leads = new Set<unknown>();
  const log: string[] = [];
  const bodies: string[] = [];
  const recorded: Event[] = [];

  const record = (operation: string, event: Event): Reply => {
    const requestedIds = event['transaction_ids'];
    if (Array.isArray(requestedIds)) {
      const missing = requestedIds.filter((one) => !sales.has(one));
      return [200, { success: true, existing: requestedIds.filter((one) => sales.has(one)), missing }];
    }
    const id = event['transaction_id'];
    if (operation === 'sale' && sales.has(id))
      return [409, duplicateSale('duplicate_transaction', { identical: true })];
    if (operation === 'lead' && leads.has(event['click_id'])) {
      return [400, { error: 'Already a lead', code: 'lead_already_recorded' }];
    }
    if (operation === 'refund' && !sales.has(id)) {
      return [404, { error: 'Sale not found for transaction_id', code: 'sale_not_found' }];
    }
    if (operation === 'refund' && refunds.has(id)) {
      return [200, { success: true, status: 'skipped', reason: 'already reversed', commission_id: 2 }];
    }
    if (operation === 'sale') sales.add(id);
    if (operation === 'refund') refunds.add(id);
    if (operation === 'lead') leads.add(event['click_id']);
    recorded.push(event);
    return [200, RECORDED[operation as keyof typeof RECORDED]];
  };

  const server: FakeServer = {
    log,
    bodies,
    recorded,
    fault: () => undefined,
    transport: async (request) => {
      const [operation, event] = read(request);
      const [status, body] = server.fault(operation, event) ?? record(operation, event);
      log.push(`${operation} ${subjectOf(event)} ${status}`);
      bodies.push(request.body);
      return Response.json(body, { status });
    },
  };
  return server;
}

function subjectOf(event: Event): unknown {
  const requestedIds = event['transaction_ids'];
  return (
    event['transaction_id'] ?? event['click_id'] ?? (Array.isArray(requestedIds) ? requestedIds.length : '')
  );
}

function read({ url, body }: TransportRequest): [string, Event] {
  return [url.split('/').at(-1) ?? '', JSON.parse(body) as Event];
}
