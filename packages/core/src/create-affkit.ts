import { createSecretKey, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { checkSecret } from './access/check-secret.ts';
import { createFirstOwner, type FirstOwner } from './access/first-owner.ts';
import { createIdentityProvider, type IdentityProviderOptions } from './access/identity-provider.ts';
import { checkOptions } from './check-options.ts';
import { CONSOLE_LOGGER } from './console-logger.ts';
import { createDeviceReader } from './device.ts';
import { guardFunctions } from './given-functions.ts';
import { type Admit, handleRequest, type Service } from './http/handle.ts';
import type { HttpReply, HttpRequest } from './http/message.ts';
import type { OtherRoute } from './http/openapi/description.ts';
import { rareWarning } from './http/rare-warning.ts';
import { openRooms } from './http/room.ts';
import { routeTable } from './http/route-table.ts';
import { Router } from './http/router.ts';
import { Jobs } from './jobs/jobs.ts';
import type { Device, GeoPlace, Logger, Runtime } from './runtime.ts';
import type { Engine } from './storage/engine/engine.ts';
import { findProgram, findProgramByTokenHash } from './storage/programs.ts';
import { shareLookup } from './storage/shared-lookup.ts';
import { createRecorders } from './tracking/recorders.ts';

const REFUSAL_PAUSE_MS = 5_000;

/** What `createAffkit` is made of. */
export interface AffkitOptions {
  /** `sqliteEngine(…)` of `@affkit/core/sqlite`, or `postgresEngine(…)` of `@affkit/core/postgres`. */
  readonly engine: Engine;
  /**
   * At least 32 characters. Sessions are signed, and webhook secrets of processor connections sealed, by keys derived from
   * it. Keep it for good: with a new one all sessions end, and webhook secrets that are stored can't be read any more.
   * `migrate` tells the log where it is not the one that the database was set up with.
   */
  readonly secret: string;
  /** Place of an IP address. Where it throws, the place is unknown. @default every place is unknown */
  readonly locate?: (ip: string) => GeoPlace | null;
  /** Device of a user agent. Where it throws, the device is unknown. @default by ua-parser-js, cached */
  readonly readDevice?: (userAgent: string) => Device;
  /** @default warnings and errors on the console */
  readonly logger?: Logger;
  /**
   * Refuses unauthenticated tracking requests, e.g. by rate; they are answered 429. Where it fails, they are let in.
   * @default all are let in
   */
  readonly admit?: Admit;
  /** An outside identity provider whose tokens are taken as sessions. @default none */
  readonly identityProvider?: IdentityProviderOptions;
  /** Routes that the app serves beside these, to be described with them. @default none */
  readonly otherRoutes?: readonly OtherRoute[];
  /** Epoch milliseconds. @default the system's clock */
  readonly now?: () => number;
  /** @default the system's generator */
  readonly randomBytes?: (count: number) => Uint8Array;
}

/** Affiliate tracking, ready to be mounted: see the adapters for Express, fetch and node:http. */
export interface Affkit {
  /** Answers a request, or null when it is for none of Affkit's routes. Never throws. */
  handle(request: HttpRequest): Promise<HttpReply | null>;
  /** Brings the database up to date. To be called before the first request; safe in several processes at once. */
  migrate(): Promise<void>;
  /**
   * Makes the first user, who owns a workspace, unless there is a user already (null).
   * @param owner without `password` one is made, and returned this once
   * @throws RangeError when `email` is no e-mail address, or `password` has not 8 to 1024 characters
   */
  ensureFirstOwner(owner: { email: string; password?: string | undefined }): Promise<FirstOwner | null>;
  /** Follow-ups of events: repairs, holds, notifications, expiry. Every process may run them. */
  readonly jobs: { start(): void; stop(): Promise<void>; runOnce(): Promise<void> };
  /** Everything that the use cases reach for, for calls without HTTP. */
  readonly runtime: Runtime;
  /** Stops the jobs, finishes what is queued, closes the database. Idempotent. */
  close(): Promise<void>;
}

/**
 * @throws TypeError for an option that is missing or has a name that nobody knows
 * @throws RangeError for an option that can't be used: which, and why
 */
export function createAffkit(options: AffkitOptions): Affkit {
  checkOptions(options);
  const log = options.logger ?? CONSOLE_LOGGER;
  const now = options.now ?? Date.now;
  const { locate, readDevice, admit } = guardFunctions(
    {
      locate: options.locate ?? (() => null),
      readDevice: options.readDevice ?? createDeviceReader(),
      admit: options.admit,
    },
    { log, now },
  );
  const runtime: Runtime = {
    engine: options.engine,
    findProgram: shareLookup((id: number) => findProgram(options.engine.read, id)),
    findProgramByToken: shareLookup((hash) => findProgramByTokenHash(options.engine.read, hash)),
    secret: createSecretKey(options.secret, 'utf8'),
    now,
    randomBytes: options.randomBytes ?? randomBytes,
    locate,
    readDevice,
    log,
    identityProvider:
      options.identityProvider === undefined ? null : createIdentityProvider(options.identityProvider),
    author: null,
  };
  const jobs = new Jobs(runtime);
  const idleMs = () => performance.eventLoopUtilization().idle;
  const service: Service = {
    runtime,
    router: new Router(routeTable(createRecorders(runtime), options.otherRoutes)),
    rooms: openRooms(idleMs),
    warnOfRefusal: rareWarning(runtime, REFUSAL_PAUSE_MS, 'requests'),
    admit,
  };
  return {
    handle: (request) => handleRequest(service, request),
    migrate: async () => {
      await runtime.engine.migrate();
      await checkSecret(runtime);
    },
    ensureFirstOwner: (owner) => createFirstOwner(runtime, owner),
    jobs,
    runtime,
    close: async () => {
      await jobs.stop();
      await runtime.engine.close();
    },
  };
}
