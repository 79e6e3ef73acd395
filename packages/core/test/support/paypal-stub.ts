import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

/** What the stub does with a request to create a payout. `moves` says whether the money is moved before the failure. */
export type CreateFault =
  | { readonly kind: 'status'; readonly status: number; readonly moves: boolean }
  | { readonly kind: 'reset'; readonly moves: boolean }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'insufficient' };

interface Payout {
  readonly id: string;
  readonly key: string;
  readonly item: {
    readonly receiver: string;
    readonly sender_item_id: string;
    readonly amount: { value: string; currency: string };
  };
  status: string;
  /** The error of a payout that failed after PayPal had accepted it. */
  error?: { readonly name: string; readonly message: string };
}

const CLIENT = { id: 'client', secret: 'paypal-secret' } as const;
const WEBHOOK_SECRET = 'only PayPal knows this';
const TOKEN = 'A21AAF';

/**
 * A server with the documented API of PayPal's payouts. It pays once for each `sender_batch_id`, like PayPal, and
 * counts the payments.
 */
export class PayPalStub {
  readonly payouts: Payout[] = [];
  /** The keys of all requests to create a payout, including repeated ones. */
  readonly created: string[] = [];
  /** Faults of the next requests to create a payout. */
  faults: CreateFault[] = [];
  /** Whether a repeated `PayPal-Request-Id` gets the first reply. Otherwise it gets the error of a duplicate. */
  replaysRequests = true;
  /** Whether requests for a token are rejected. */
  rejectsClient = false;
  /** Called at each step of a request to create a payout, and when the status of a payout is read. */
  onStep: (step: 'received' | 'moved' | 'replied' | 'read') => Promise<void> | void = () => {};
  readonly settings: { clientId: string; secret: string; webhookId: string; apiUrl: string };
  /**
   * The keys that were rejected for insufficient funds. Like PayPal, the stub repeats this error for the same
   * key.
   */
  readonly #insufficientKeys = new Set<string>();
  readonly #server: Server;

  private constructor(server: Server, apiUrl: string) {
    this.#server = server;
    this.settings = { clientId: CLIENT.id, secret: CLIENT.secret, webhookId: 'WEBHOOK1', apiUrl };
    server.on('request', (request, response) => {
      this.#handle(request, response).catch(() => request.socket.destroy());
    });
  }

  static async start(): Promise<PayPalStub> {
    const server = createServer();
    return new PayPalStub(server, await listenOnLoopback(server));
  }

  /** Removes all payouts and faults. */
  reset(): void {
    Object.assign(this, { faults: [], replaysRequests: true, rejectsClient: false, onStep: () => {} });
    this.payouts.length = 0;
    this.created.length = 0;
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  /** Returns the number of payments by receiver. */
  paidTimes(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { item } of this.payouts) counts[item.receiver] = (counts[item.receiver] ?? 0) + 1;
    return counts;
  }

  /** Returns a webhook about a payout, with the headers of its signature. */
  webhook({ id, key, item }: Payout, status: string): { body: string; headers: Record<string, string> } {
    const body = JSON.stringify({
      id: `WH-${randomUUID()}`,
      event_type: `PAYMENT.PAYOUTS-ITEM.${status}`,
      resource: { payout_batch_id: id, sender_batch_id: key, payout_item: item, transaction_status: status },
    });
    const transmission = randomUUID();
    return {
      body,
      headers: {
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-cert-url': 'https://api.paypal.com/cert',
        'paypal-transmission-id': transmission,
        'paypal-transmission-sig': signatureOf(transmission, body),
        'paypal-transmission-time': '2026-06-15T12:00:00Z',
      },
    };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const path = request.url ?? '';
    const send = (status: number, json: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    };
    if (path === '/v1/oauth2/token') {
      const basic = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
      const isKnown = request.headers.authorization === `Basic ${basic}` && !this.rejectsClient;
      if (!isKnown) return send(401, { error: 'invalid_client' });
      return send(200, { access_token: TOKEN, token_type: 'Bearer', expires_in: 32_400 });
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return send(401, { error: 'invalid_token' });
    if (path === '/v1/payments/payouts') return await this.#create(request, body, send);
    if (path === '/v1/notifications/verify-webhook-signature') return send(200, verify(body));
    const payout = this.payouts.find(({ id }) => path === `/v1/payments/payouts/${id}`);
    if (!payout) return send(404, { name: 'RESOURCE_NOT_FOUND' });
    await this.onStep('read');
    send(200, {
      batch_header: {
        payout_batch_id: payout.id,
        batch_status: 'PROCESSING',
        sender_batch_header: { sender_batch_id: payout.key },
      },
      items: [
        {
          payout_item_id: `ITEM${payout.id}`,
          transaction_id: `TX${payout.id}`,
          transaction_status: payout.status,
          payout_item: payout.item,
          ...(payout.status === 'FAILED' && {
            errors: payout.error ?? { name: 'RECEIVER_UNREGISTERED', message: 'No account' },
          }),
        },
      ],
    });
  }

  async #create(
    request: IncomingMessage,
    body: string,
    send: (status: number, json: object) => void,
  ): Promise<void> {
    const { sender_batch_header: header, items } = JSON.parse(body) as {
      sender_batch_header: { sender_batch_id: string };
      items: [Payout['item']];
    };
    const key = header.sender_batch_id;
    const requestId = request.headers['paypal-request-id'];
    if (requestId !== key) return send(400, { name: 'VALIDATION_ERROR' });
    this.created.push(key);
    await this.onStep('received');
    const fault = this.#insufficientKeys.has(key) ? { kind: 'insufficient' as const } : this.faults.shift();
    if (fault?.kind === 'insufficient') {
      this.#insufficientKeys.add(key);
      return send(422, { name: 'INSUFFICIENT_FUNDS', message: 'Sender does not have sufficient funds.' });
    }
    if (fault?.kind === 'refuse') {
      const details = [{ field: 'items[0].receiver', issue: 'Receiver is invalid' }];
      return send(400, { name: 'VALIDATION_ERROR', message: 'Invalid request', details });
    }
    if (fault && !fault.moves) {
      if (fault.kind === 'reset') return void request.socket.destroy();
      return send(fault.status, { name: 'INTERNAL_SERVER_ERROR' });
    }
    const earlier = this.payouts.find((payout) => payout.key === key);
    const payout = earlier ?? { id: `B${this.payouts.length + 1}`, key, item: items[0], status: 'PENDING' };
    if (!earlier) this.payouts.push(payout);
    await this.onStep('moved');
    if (fault?.kind === 'reset') return void request.socket.destroy();
    if (fault?.kind === 'status') return send(fault.status, { name: 'INTERNAL_SERVER_ERROR' });
    if (earlier && !this.replaysRequests) {
      return send(400, {
        name: 'USER_BUSINESS_ERROR',
        details: [{ field: 'SENDER_BATCH_ID', issue: 'Batch with given sender_batch_id already exists' }],
        links: [
          { href: `https://api.paypal.com/v1/payments/payouts/${payout.id}`, rel: 'self', method: 'GET' },
        ],
      });
    }
    send(201, { batch_header: { payout_batch_id: payout.id, batch_status: 'PENDING' } });
    await this.onStep('replied');
  }
}

function signatureOf(transmission: string, event: string): string {
  return createHash('sha256').update(`${WEBHOOK_SECRET}|${transmission}|${event}`).digest('base64');
}

function verify(body: string): { verification_status: 'SUCCESS' | 'FAILURE' } {
  const {
    transmission_id: id,
    transmission_sig: signature,
    webhook_id: webhook,
  } = JSON.parse(body) as Record<string, string>;
  const name = '"webhook_event":';
  const event = body.slice(body.indexOf(name) + name.length, -1);
  const isGenuine = webhook === 'WEBHOOK1' && signature === signatureOf(id ?? '', event);
  return { verification_status: isGenuine ? 'SUCCESS' : 'FAILURE' };
}
