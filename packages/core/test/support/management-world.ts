import { randomUUID } from 'node:crypto';
import { type Affkit, createAffkit } from '../../src/create-affkit.ts';
import type { HttpReply, HttpRequest } from '../../src/http/message.ts';
import { createWorkspace } from '../../src/management/workspaces.ts';
import type { AffkitOptions } from '../../src/options.ts';
import { insertUser } from '../../src/storage/accounts/users.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { MemberRole } from '../../src/storage/database/schema-accounts.ts';
import type { OpenEngine } from './engine-kinds.ts';
import { handleChecked } from './openapi-validator.ts';
import { SILENT } from './silent-logger.ts';
import { cachedPasswordHash, createSession } from './users.ts';

export const PASSWORD = 'correct horse battery staple';
export const SECRET = 'a secret for tests, long enough for all';

export interface Reply<T> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: T;
}

interface CallOptions {
  /** Sent as `Bearer …`. */
  readonly token?: string;
  /** The complete `Authorization` header. */
  readonly authorization?: string;
  readonly body?: unknown;
  /** The body, if it is not JSON. */
  readonly text?: string;
  /** Runs after the headers have arrived, and before the body arrives. */
  readonly beforeBody?: () => Promise<unknown>;
  /** The `Cookie` header. */
  readonly cookie?: string;
  /** The `Origin` header. */
  readonly origin?: string;
  /** The `User-Agent` header. */
  readonly userAgent?: string;
  /** The `Accept` header. */
  readonly accept?: string;
  /** The `Sec-Fetch-Site` header. */
  readonly fetchSite?: string;
  /** Whether the visitor used HTTPS. @default true */
  readonly secure?: boolean;
  /** The IP address of the client, or null if it is unknown. @default '203.0.113.7' */
  readonly ip?: string | null;
}

/** An Affkit instance with its own database and a clock that only the test changes. */
export interface World {
  readonly affkit: Affkit;
  readonly engine: Engine;
  readonly clock: { now: number };
  /** Sends a request. @param target path and query */
  call<T = unknown>(method: string, target: string, options?: CallOptions): Promise<Reply<T>>;
  /** Creates a user with `PASSWORD`, these memberships and a session. */
  signUp(memberships?: readonly { workspaceId: number; role: MemberRole }[]): Promise<SignedUp>;
  /** Creates a user who owns a new workspace. */
  owner(): Promise<SignedUp & { readonly workspaceId: number }>;
  close(): Promise<void>;
}

export interface SignedUp {
  readonly userId: number;
  readonly email: string;
  readonly token: string;
}

export async function openWorld(open: OpenEngine, options: Partial<AffkitOptions> = {}): Promise<World> {
  const clock = { now: Date.UTC(2026, 0, 15, 12) };
  const engine = await open();
  const affkit = createAffkit({ engine, secret: SECRET, now: () => clock.now, logger: SILENT, ...options });
  await affkit.migrate();
  const passwordHash = await cachedPasswordHash(PASSWORD);

  const world: World = {
    affkit,
    engine,
    clock,
    close: () => affkit.close(),
    async call<T>(method: string, target: string, options: CallOptions = {}): Promise<Reply<T>> {
      const url = new URL(target, 'https://affkit.test');
      const headers = new Map<string, string>([
        ['content-type', 'application/json'],
        ['host', url.host],
      ]);
      const authorization =
        options.authorization ?? (options.token === undefined ? undefined : `Bearer ${options.token}`);
      if (authorization !== undefined) headers.set('authorization', authorization);
      if (options.cookie !== undefined) headers.set('cookie', options.cookie);
      if (options.origin !== undefined) headers.set('origin', options.origin);
      if (options.userAgent !== undefined) headers.set('user-agent', options.userAgent);
      if (options.accept !== undefined) headers.set('accept', options.accept);
      if (options.fetchSite !== undefined) headers.set('sec-fetch-site', options.fetchSite);
      const text = options.text ?? (options.body === undefined ? '' : JSON.stringify(options.body));
      const bytes = new TextEncoder().encode(text);
      const request: HttpRequest = {
        method,
        path: url.pathname,
        query: url.searchParams,
        header: (name) => headers.get(name),
        body: async () => {
          await options.beforeBody?.();
          return bytes;
        },
        ip: options.ip === undefined ? '203.0.113.7' : options.ip,
        secure: options.secure ?? true,
      };
      const reply = await handleChecked(affkit, request, text);
      if (!reply) throw new Error(`No route for ${target}`);
      // The cast is needed because only the caller knows the type of the body.
      return { ...withCookies(reply), body: reply.body as T };
    },
    async signUp(memberships = []) {
      const email = `${randomUUID()}@shop.test`;
      const at = clock.now;
      const userId = await engine.write(0, async (tx) => {
        const id = await insertUser(tx, { email, name: 'Ann', passwordHash, at });
        for (const { workspaceId, role } of memberships) {
          await tx.db
            .insertInto('members')
            .values({ workspace_id: workspaceId, user_id: id, role, created_at: at })
            .execute();
        }
        return id;
      });
      const { token } = await createSession(affkit.runtime, userId);
      return { userId, email, token };
    },
    async owner() {
      const user = await world.signUp();
      const { id } = await createWorkspace(affkit.runtime, { name: 'Acme', ownerId: user.userId });
      return { ...user, workspaceId: id };
    },
  };
  return world;
}

/** Puts the cookies into the headers, one per line. */
export function withCookies<R extends Pick<HttpReply, 'headers' | 'cookies'>>(reply: R): R {
  const { headers, cookies } = reply;
  return cookies ? { ...reply, headers: { ...headers, 'set-cookie': cookies.join('\n') } } : reply;
}

/** Runs `run` concurrently, `count` times. */
export function runConcurrently<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

/** Counts the responses by status. */
export function countStatuses(replies: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/**
 * Changes one character of the signature at the end of `text`. Leaves the last characters unchanged, because they may
 * contain unused bits.
 */
export function forge(text: string): string {
  const at = text.length - 10;
  return `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`;
}
