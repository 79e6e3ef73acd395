import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

/** What the stub does with a request to create a transfer. */
export type TransferFault =
  | { readonly kind: 'status'; readonly status: number; readonly moves: boolean }
  | { readonly kind: 'reset'; readonly moves: boolean }
  | { readonly kind: 'insufficient' }
  | { readonly kind: 'refuse' };

/** The errors of the documented API, by the kind of the fault. */
const REFUSALS: Readonly<Record<string, { readonly code: string; readonly message: string }>> = {
  refuse: { code: 'account_invalid', message: 'No such destination' },
  insufficient: { code: 'balance_insufficient', message: 'Insufficient funds' },
};

interface Transfer {
  readonly id: string;
  readonly destination: string;
  amount: number;
  currency: string;
  readonly transfer_group: string;
  reversed: boolean;
}

/** A server with the documented API of Stripe's transfers. It repeats the first reply for the same idempotency key. */
export class StripeTransfersStub {
  readonly transfers: Transfer[] = [];
  /** The idempotency keys of all requests to create a transfer. */
  readonly created: string[] = [];
  /** The replies by idempotency key. Stripe deletes them after 24 hours. */
  readonly replies = new Map<string, { status: number; json: object }>();
  faults: TransferFault[] = [];
  /** Called at each step of a request to create a transfer, and when transfers are looked up by their group. */
  onStep: (step: 'received' | 'moved' | 'replied' | 'found') => Promise<void> | void = () => {};
  readonly settings: { secretKey: string; webhookSecret: string; apiUrl: string };
  readonly #server: Server;

  private constructor(server: Server, apiUrl: string) {
    this.#server = server;
    this.settings = { secretKey: 'sk_test_1', webhookSecret: 'whsec_transfers', apiUrl };
    server.on('request', async (request, response) => {
      const send = (status: number, json: object) => response.writeHead(status).end(JSON.stringify(json));
      const body = new URLSearchParams(await text(request));
      if (request.headers.authorization !== 'Bearer sk_test_1') return send(401, { error: {} });
      if (request.method === 'POST') {
        await this.onStep('received');
        const reply = this.#create(String(request.headers['idempotency-key']), body);
        await this.onStep('moved');
        if (reply === null) return request.socket.destroy();
        send(reply.status, reply.json);
        return await this.onStep('replied');
      }
      const url = new URL(request.url ?? '', apiUrl);
      const group = url.searchParams.get('transfer_group');
      if (group !== null) {
        const data = this.transfers.filter(({ transfer_group }) => transfer_group === group);
        await this.onStep('found');
        return send(200, { object: 'list', data, has_more: false });
      }
      const transfer = this.transfers.find(({ id }) => url.pathname === `/v1/transfers/${id}`);
      return transfer ? send(200, transfer) : send(404, { error: {} });
    });
  }

  static async start(): Promise<StripeTransfersStub> {
    const server = createServer();
    return new StripeTransfersStub(server, await listenOnLoopback(server));
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  /** Returns the number of transfers by receiver. */
  paidTimes(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { destination } of this.transfers) counts[destination] = (counts[destination] ?? 0) + 1;
    return counts;
  }

  /** @returns null when the connection is reset */
  #create(key: string, body: URLSearchParams): { status: number; json: object } | null {
    this.created.push(key);
    const saved = this.replies.get(key);
    if (saved) return saved;
    const fault = this.faults.shift();
    if (fault?.kind === 'reset' && !fault.moves) return null;
    const reply = this.#reply(fault, body);
    // Stripe also stores replies with the status 500.
    this.replies.set(key, reply);
    return fault?.kind === 'reset' ? null : reply;
  }

  #reply(fault: TransferFault | undefined, body: URLSearchParams): { status: number; json: object } {
    const refusal = REFUSALS[fault?.kind ?? ''];
    if (refusal) return { status: 400, json: { error: { type: 'invalid_request_error', ...refusal } } };
    if (fault?.kind === 'status' && !fault.moves)
      return { status: fault.status, json: { error: { type: 'api_error' } } };
    const transfer = {
      id: `tr_${this.transfers.length + 1}`,
      object: 'transfer',
      amount: Number(body.get('amount')),
      currency: body.get('currency') ?? '',
      destination: body.get('destination') ?? '',
      transfer_group: body.get('transfer_group') ?? '',
      reversed: false,
    };
    this.transfers.push(transfer);
    if (fault?.kind === 'status') return { status: fault.status, json: { error: { type: 'api_error' } } };
    return { status: 200, json: transfer };
  }
}
