import { createSecretKey, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { checkServerSecret } from './access/check-secret.ts';
import { ensureFirstOwner, type FirstOwner } from './access/first-owner.ts';
import { createIdentityProvider } from './access/identity-provider.ts';
import { createCaptcha } from './captcha/captcha.ts';
import { CONSOLE_LOGGER } from './console-logger.ts';
import { createDeviceReader } from './device.ts';
import { guardHostCallbacks } from './host-callbacks.ts';
import { createLimiters } from './http/concurrency-limiter.ts';
import { handleRequest, type Service } from './http/handle.ts';
import type { HttpReply, HttpRequest } from './http/message.ts';
import { routeTable } from './http/route-table.ts';
import { Router } from './http/router.ts';
import { throttledWarning } from './http/throttled-warning.ts';
import { createJobs } from './jobs/jobs.ts';
import { warnOfCodeCollisions } from './management/code-collisions.ts';
import { type AffkitOptions, checkOptions, mailSettingsOf } from './options.ts';
import { createGaugeReader } from './reporting/gauges.ts';
import type { Runtime } from './runtime.ts';
import { shareLookup } from './storage/database/shared-lookup.ts';
import { findProgram, findProgramByTokenHash } from './storage/programs/programs.ts';
import { observeEngine } from './telemetry/observe-engine.ts';
import { createTelemetry } from './telemetry/telemetry.ts';
import { createRecorders } from './tracking/recorders.ts';
import { checkTransactionIds } from './tracking/transaction-ids-setting.ts';
import { createWebhookSender } from './webhooks/send-webhook.ts';

/** The minimum time between two warnings about 503 responses. */
const UNAVAILABLE_WARNING_INTERVAL_MS = 5_000;
const CAPTCHA_WARNING_INTERVAL_MS = 60_000;
const MEASURE_WARNING_INTERVAL_MS = 60_000;

/**
 * An Affkit instance. Mount it in your app with an adapter: `@affkit/core/express`, `@affkit/core/fetch` or
 * `@affkit/core/node`.
 */
export interface Affkit {
  /**
   * Handles a request. The adapters call this for you. It never rejects: errors become error responses.
   *
   * @returns the response, or null when the path is not one of Affkit's routes
   */
  handle(request: HttpRequest): Promise<HttpReply | null>;
  /**
   * Creates the database tables or migrates them to the current version. Await this call before you serve the
   * first request. Several processes may call `migrate` at the same time.
   *
   * @throws TransactionIdsMismatch when the database contains another value of `transactionIds`
   */
  migrate(): Promise<void>;
  /**
   * Creates the first user and a workspace that the user owns. Does nothing when a user exists already, so you
   * can call this function on every start.
   *
   * @param owner the email address, and a password of 8 to 1024 characters. Without a password, one is
   * generated.
   * @returns the created user, or null when a user exists already. This is the only time that a generated
   * password is returned.
   * @throws RangeError when the user must be created and `email` or `password` is not valid
   * @throws Error when the tables do not exist yet, because `migrate` was not called
   */
  ensureFirstOwner(owner: { email: string; password?: string | undefined }): Promise<FirstOwner | null>;
  /**
   * The background jobs. They create commissions that could not be stored together with their sale, approve
   * commissions after their hold, and apply refunds that arrived before their sale. They also extend the hash
   * chain of the ledger, create notifications, send webhooks, emails, and payouts, and delete expired rows.
   * Run the jobs in at least one process. If several processes run the jobs, each piece of work is still done
   * only once.
   *
   * - `start` runs the jobs now and every 5 seconds. It does not keep the process alive.
   * - `stop` resolves when the current turn of the jobs has ended. In a turn, each job processes a part of
   *   its work.
   * - `runOnce` processes everything that is due. Use it in tests and cron jobs. It rejects when a job fails.
   */
  readonly jobs: { start(): void; stop(): Promise<void>; runOnce(): Promise<void> };
  /**
   * The objects that Affkit's functions work with, such as the engine and the clock. Pass `runtime` to functions that
   * work without HTTP, such as `verifyLedger`.
   */
  readonly runtime: Runtime;
  /** Stops the jobs, finishes queued writes and closes the database. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates an Affkit instance. It does not access the database until you use it.
 *
 * @throws TypeError when a required option is missing or an option is unknown
 * @throws RangeError when an option is not valid
 *
 * @example
 * ```ts
 * const affkit = createAffkit({ engine: sqliteEngine({ path: 'affkit.db' }), secret });
 * await affkit.migrate();
 * affkit.jobs.start();
 * app.use(expressAdapter(affkit));
 * ```
 */
export function createAffkit(options: AffkitOptions): Affkit {
  checkOptions(options);
  const log = options.logger ?? CONSOLE_LOGGER;
  const clock = options.now ?? Date.now;
  // Click ids and time columns require whole milliseconds.
  const now = () => Math.floor(clock());
  const { locate, readDevice, admit, verifyApplication } = guardHostCallbacks(
    {
      locate: options.locate ?? (() => null),
      readDevice: options.readDevice ?? createDeviceReader(),
      admit: options.admit,
      verifyApplication: options.verifyApplication ?? (() => true),
    },
    { log, now },
  );
  const gauges = createGaugeReader({ engine: options.engine, now });
  const warnOfMeasure = throttledWarning({ log, now }, MEASURE_WARNING_INTERVAL_MS);
  const telemetry =
    options.telemetry &&
    createTelemetry(
      options.telemetry,
      (error) => warnOfMeasure(error, 'telemetry.measure threw an error; the measurement is lost'),
      async () => [...gauges.readLoad(), ...(await gauges.readBacklog())],
    );
  const tracing = telemetry?.tracing;
  const runtime: Runtime = {
    engine: tracing === undefined ? options.engine : observeEngine(options.engine, tracing),
    findProgram: shareLookup((id: number) => findProgram(options.engine.read, id)),
    findProgramByToken: shareLookup((hash) => findProgramByTokenHash(options.engine.read, hash)),
    secret: createSecretKey(options.secret, 'utf8'),
    now,
    randomBytes: options.randomBytes ?? randomBytes,
    publicOrigin: options.publicUrl === undefined ? null : new URL(options.publicUrl).origin,
    workspaceCreation: options.workspaceCreation ?? 'owner',
    transactionIds: options.transactionIds ?? 'service',
    locate,
    readDevice,
    verifyApplication,
    captcha:
      options.captcha === undefined
        ? null
        : createCaptcha(options.captcha, throttledWarning({ log, now }, CAPTCHA_WARNING_INTERVAL_MS)),
    log,
    mail: mailSettingsOf(options),
    payoutWorkspaces: options.payoutWorkspaces ?? [],
    payoutProviders: new Map((options.payoutProviders ?? []).map((provider) => [provider.name, provider])),
    webhookSender: createWebhookSender(options.webhookAllowHosts ?? []),
    identityProvider:
      options.identityProvider === undefined ? null : createIdentityProvider(options.identityProvider),
    author: null,
    telemetry,
  };
  const jobs = createJobs(runtime);
  // Pass the engine that creates no spans, because the recorders create a span for each batch. `runtime.engine` would
  // create a second span for each write.
  const recorders = createRecorders({ ...runtime, engine: options.engine });
  const idleMs = () => performance.eventLoopUtilization().idle;
  const service: Service = {
    runtime,
    router: new Router(
      routeTable(recorders, options.otherRoutes, { hasProgramPages: options.programPages ?? true }),
    ),
    limiters: createLimiters(idleMs),
    warnUnavailable: throttledWarning(runtime, UNAVAILABLE_WARNING_INTERVAL_MS, 'requests'),
    admit,
  };
  return {
    handle: (request) => handleRequest(service, request),
    migrate: async () => {
      await runtime.engine.migrate((reason) => log.warn({ err: reason }, 'the migration waits for a lock'));
      await checkServerSecret(runtime);
      await checkTransactionIds(runtime);
      await warnOfCodeCollisions(runtime);
    },
    ensureFirstOwner: (owner) => ensureFirstOwner(runtime, owner),
    jobs,
    runtime,
    close: async () => {
      await jobs.stop();
      await recorders.refusals.close();
      await runtime.engine.close();
    },
  };
}
