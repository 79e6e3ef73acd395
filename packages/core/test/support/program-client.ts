import { afterAll, beforeAll } from 'vitest';
import type { OpenEngine } from './engine-kinds.ts';
import { openWorld, type Reply, type SignedUp, type World } from './management-world.ts';

export const PROGRAMS = '/api/advertiser/affiliate-programs';

export interface ProgramData {
  readonly data: { readonly id: number; readonly slug: string; readonly api_token: string };
}

export interface ListOf<T> {
  readonly data: readonly T[];
  readonly meta: unknown;
}

/** The required fields of a new program. */
export const PROGRAM_DRAFT = {
  name: 'Shop',
  site_url: 'https://shop.example/start',
  commission: { type: 'percent', rate: 12.5 },
} as const;

/** Calls of the management API, by default as the owner of a workspace. */
export class ProgramClient {
  #world: World | undefined;
  #owner: (SignedUp & { readonly workspaceId: number }) | undefined;

  /** Registers hooks that open a world before the tests of the file, and close it after them. */
  constructor(open: OpenEngine) {
    beforeAll(async () => {
      this.#world = await openWorld(open);
      this.#owner = await this.#world.owner();
    });
    afterAll(() => this.#world?.close());
  }

  get world(): World {
    if (!this.#world) throw new Error('The world is open only during the tests');
    return this.#world;
  }

  get owner(): SignedUp & { readonly workspaceId: number } {
    if (!this.#owner) throw new Error('The owner exists only during the tests');
    return this.#owner;
  }

  readonly get = <T = unknown>(path: string, token = this.owner.token): Promise<Reply<T>> =>
    this.world.call<T>('GET', path, { token });

  readonly post = <T = unknown>(path: string, body?: unknown, token = this.owner.token): Promise<Reply<T>> =>
    this.world.call<T>('POST', path, { token, body });

  readonly put = <T = unknown>(path: string, body?: unknown, token = this.owner.token): Promise<Reply<T>> =>
    this.world.call<T>('PUT', path, { token, body });

  readonly remove = (path: string, token = this.owner.token): Promise<Reply<unknown>> =>
    this.world.call('DELETE', path, { token });

  readonly createProgram = async (
    fields: object = {},
    token = this.owner.token,
  ): Promise<ProgramData['data']> =>
    (await this.post<ProgramData>(PROGRAMS, { ...PROGRAM_DRAFT, ...fields }, token)).body.data;
}
