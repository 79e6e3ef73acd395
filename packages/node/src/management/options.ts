import { readInteger, rejectUnknownOptions } from '../check-option.ts';
import { readVariable } from '../environment.ts';
import type { Hooks } from '../hooks.ts';
import { type AffkitOptions, readOptions, type SendSettings } from '../options.ts';
import { credentialReader, type TokenSource } from '../token.ts';
import { validateApiKey } from './api-key.ts';

/** Options of the management client. Unknown option names throw an `AffkitConfigurationError`. */
export interface ManagementOptions
  extends Pick<
    AffkitOptions,
    | 'baseUrl'
    | 'timeoutMs'
    | 'deadlineMs'
    | 'maxRetries'
    | 'fetch'
    | 'transport'
    | 'logger'
    | 'logLevel'
    | 'runtime'
  > {
  /**
   * A management key (`affk_…`), the session token of a user, or a function that returns one of them. The
   * function is called before every request.
   *
   * @default the environment variable `AFFKIT_API_KEY`
   */
  readonly apiKey?: TokenSource | undefined;
  /**
   * The program whose partners, commissions, payouts and other resources the client uses. For another
   * program use `client.program(id)`.
   *
   * @default none: the resources of a program are then only available from `client.program(id)`
   */
  readonly programId?: number | undefined;
  /** Callbacks for metrics and alerts. `operation` is the name of the method, e.g. `partners.list`. */
  readonly hooks?: Pick<Hooks<string>, 'onAttempt' | 'onRetry'> | undefined;
}

/** Options of a single call. Each limit overrides the client's option of the same name. */
export interface ManagementCallOptions {
  /** Aborts the call, which then throws an `AffkitAbortError`. The server may already have carried out the call. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout of each HTTP request in milliseconds. It includes the time to read the reply, but not the time to
   * download an export.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Time limit of the call in milliseconds, including all retries and the delays between them. In a list, the limit
   * applies to each page. In a bulk call that is split, it applies to each request.
   */
  readonly deadlineMs?: number | undefined;
  /** Maximum number of retries of a request. 0 disables retries. */
  readonly maxRetries?: number | undefined;
}

/** Validated options, with the environment variables and defaults filled in. */
export interface ManagementSettings extends SendSettings<string> {
  readonly programId: number | undefined;
}

const OPTION_NAMES: Record<keyof ManagementOptions, true> = {
  apiKey: true,
  baseUrl: true,
  programId: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true,
  fetch: true,
  transport: true,
  logger: true,
  logLevel: true,
  hooks: true,
  runtime: true,
};

/** @throws AffkitConfigurationError if an option is missing, invalid or unknown */
export function readManagementOptions(options: ManagementOptions): ManagementSettings {
  rejectUnknownOptions(options, OPTION_NAMES);
  const { apiKey = readVariable('AFFKIT_API_KEY'), programId, hooks = {}, ...others } = options;
  return {
    // `readOptions` requires a `token`. This function is never called, because `readCredential` is replaced below.
    ...readOptions({ ...others, token: () => '' }),
    readCredential: credentialReader('apiKey', apiKey, validateApiKey),
    hooks,
    programId: programId === undefined ? undefined : readInteger('programId', programId, 1),
  };
}
