import { createSecretKey, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { checkSecret } from './access/check-secret.ts';
import { createFirstOwner, type FirstOwner } from './access/first-owner.ts';
import { createIdentityProvider } from './access/identity-provider.ts';
import { CONSOLE_LOGGER } from './console-logger.ts';
import { createDeviceReader } from './device.ts';
import { guardFunctions } from './host-callbacks.ts';
import { createLimiters } from './http/concurrency-limiter.ts';
import { handleRequest, type Service } from './http/handle.ts';
import type { HttpReply, HttpRequest } from './http/message.ts';
import { routeTable } from './http/route-table.ts';
import { Router } from './http/router.ts';
import { throttledWarning } from './http/throttled-warning.ts';
import { Jobs } from './jobs/jobs.ts';
import { type AffkitOptions, checkOptions } from './options.ts';
import type { Runtime } from './runtime.ts';
import { shareLookup } from './storage/database/shared-lookup.ts';
import { findProgram, findProgramByTokenHash } from './storage/programs/programs.ts';
import { createRecorders } from './tracking/recorders.ts';

const REFUSAL_PAUSE_MS = 5_000;

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
    limiters: createLimiters(idleMs),
    warnOfRefusal: throttledWarning(runtime, REFUSAL_PAUSE_MS, 'requests'),
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
