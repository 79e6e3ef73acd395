import type { Scene } from './field-values.ts';
import type { Client, Received, SentRequest } from './http-client.ts';
import type { Api, Operation } from './operations.ts';
import { findFaults } from './oracles.ts';
import { type Attack, MAX_INDEX } from './requests.ts';
import type { RowKind, Tenant } from './tenant.ts';

/** Requests of a group are sent at the same time. */
const GROUP_SIZE = 8;
/** Operations whose body contains a credential. This credential always belongs to the caller's tenant. */
const SIGNING_IN = /^POST \/api\/auth\/(?:login|accept-invite|password-reset\/confirm)$/;
const MAX_FAULTS = 5;
const MAX_SHOWN = 1_000;

export interface FuzzOptions {
  readonly api: Api;
  readonly client: Client;
  readonly scene: Scene;
  /** All tenants of the database. */
  readonly tenants: readonly Tenant[];
  /** The seed of the random requests. It is shown with each fault. */
  readonly seed: number;
}

export class FuzzReport {
  readonly faults: string[] = [];
  readonly #statuses = new Map<string, Map<number, number>>();

  /** Returns the number of responses. */
  get responses(): number {
    return this.countOf(() => true);
  }

  add(operation: Operation, status: number): void {
    const counts = this.#statuses.get(operation.key) ?? new Map<number, number>();
    this.#statuses.set(operation.key, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  countOf(counts: (status: number) => boolean): number {
    const all = [...this.#statuses.values()].flatMap((byStatus) => [...byStatus]);
    return all.filter(([status]) => counts(status)).reduce((sum, [, count]) => sum + count, 0);
  }

  /** Returns the operations that never succeeded. For them, the attacks tested little more than the validation. */
  neverSucceeded(): string[] {
    return [...this.#statuses]
      .filter(([, counts]) => ![...counts.keys()].some((one) => one < 300))
      .map(([key]) => key);
  }
}

/** Sends requests, several at a time, and checks each response. Stops after `MAX_FAULTS` faults. */
export async function fuzz(options: FuzzOptions, all: readonly Attack[], report: FuzzReport): Promise<void> {
  const { scene, seed } = options;
  for (let start = 0; start < all.length && report.faults.length < MAX_FAULTS; start += GROUP_SIZE) {
    const group = all.slice(start, start + GROUP_SIZE);
    const results = await Promise.all(group.map((attack) => run(options, attack)));
    for (const [index, { attack, sent, received, faults }] of results.entries()) {
      if (received) {
        report.add(attack.operation, received.status);
        rememberRow(scene.own, attack.operation, received);
      }
      if (faults.length > 0) {
        const request = describe(attack, sent);
        const response = received && { status: received.status, body: received.text.slice(0, MAX_SHOWN) };
        report.faults.push(
          JSON.stringify({ faults, seed, number: start + index, request, response }, null, 2),
        );
      }
    }
  }
}

async function run({ api, client, scene, tenants }: FuzzOptions, attack: Attack) {
  const sent = toRequest(attack, scene.own.rows, client.origin);
  const caller = SIGNING_IN.test(attack.operation.key) ? scene.own : attack.caller.tenant;
  const others = tenants.filter((tenant) => tenant !== caller);
  const operation = reachedOperation(api, attack);
  const isOnRoute = hasPathOf(attack);
  try {
    const received = await client.send(sent);
    const faults = findFaults({ operation, sent, received, caller, others, isOnRoute });
    return { attack, sent, received, faults };
  } catch (error) {
    return { attack, sent, received: undefined, faults: [`No response: ${String(error)}`] };
  }
}

/**
 * Returns the operation that the request reaches. It differs from `attack.operation` if the attack uses a
 * method for which the same path has another operation.
 */
function reachedOperation({ operations }: Api, { operation, method }: Attack): Operation {
  const known = method === 'HEAD' ? 'GET' : method;
  return operations.find((one) => one.path === operation.path && one.method === known) ?? operation;
}

/** Whether the request certainly has the path of the operation. A hostile parameter may change the path. */
function hasPathOf({ operation, path }: Attack): boolean {
  const parts = operation.path.split('/');
  return path.every(
    (part, index) => part === parts[index] || typeof part !== 'string' || /^[\w-]+$/.test(part),
  );
}

function toRequest(
  attack: Attack,
  rows: Readonly<Record<RowKind, readonly number[]>>,
  ownOrigin: string,
): SentRequest {
  const parts = attack.path.map((part) => {
    if (typeof part === 'string') return part;
    const ids = rows[part.kind];
    return String(ids[Math.floor((part.index / (MAX_INDEX + 1)) * ids.length)]);
  });
  const { authorization, cookie } = attack.caller;
  const isOwnPage = cookie !== undefined && attack.headers['sec-fetch-site'] !== 'cross-site';
  return {
    method: attack.method,
    // Node's client rejects characters above U+00FF.
    target: (parts.join('/') + attack.search).replaceAll(/[^!-~]/gu, encodeURIComponent),
    headers: {
      ...attack.headers,
      ...attack.body?.headers,
      ...(authorization !== undefined && { authorization }),
      ...(cookie !== undefined && { cookie }),
      ...(isOwnPage && { origin: ownOrigin }),
    },
    body: attack.body?.bytes,
  };
}

/**
 * The kinds of rows that operations create. The ids of new rows are recorded, so that later requests change
 * these rows too.
 */
const CREATED: Readonly<Record<string, RowKind>> = {
  'affiliate-programs': 'emptyProgram',
  partners: 'partner',
  links: 'link',
  'commission-policies': 'policy',
  'api-keys': 'key',
  members: 'member',
  'processor-connections': 'connection',
};

function rememberRow(own: Tenant, { path }: Operation, { status, text }: Received): void {
  const kind = CREATED[path.split('/').at(-1) ?? ''];
  if (kind === undefined || status !== 201) return;
  const id: unknown = (JSON.parse(text) as { data?: { id?: unknown } }).data?.id;
  if (typeof id === 'number') own.rows[kind].push(id);
}

function describe({ caller, body }: Attack, { method, target, headers }: SentRequest) {
  return {
    caller: caller.name,
    line: `${method} ${target}`.slice(0, MAX_SHOWN),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, text.slice(0, 100)])),
    ...(body && { encoding: body.encoding, body: body.bytes.toString().slice(0, MAX_SHOWN) }),
  };
}
