import type { CaptchaOptions, CaptchaService } from './options.ts';

const TIMEOUT_MS = 5_000;

/** The properties of a captcha service, from its documentation. */
interface ServiceSpec {
  readonly scriptUrl: string;
  readonly verifyUrl: string;
  /** The class of the element that the script turns into the widget. */
  readonly widgetClass: string;
  /** The form field in which the widget puts the token. */
  readonly tokenField: string;
  /** The origins from which the widget loads scripts, frames, and styles, and to which it sends requests. */
  readonly origins: readonly string[];
}

const SERVICES: Readonly<Record<CaptchaService, ServiceSpec>> = {
  turnstile: {
    scriptUrl: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    widgetClass: 'cf-turnstile',
    tokenField: 'cf-turnstile-response',
    origins: ['https://challenges.cloudflare.com'],
  },
  hcaptcha: {
    // Without this parameter, the widget also sends its token in the form field of reCAPTCHA.
    scriptUrl: 'https://js.hcaptcha.com/1/api.js?recaptchacompat=off',
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    widgetClass: 'h-captcha',
    tokenField: 'h-captcha-response',
    origins: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  },
};

/** Error codes about the token of the visitor. All other codes are about the settings or the service. */
const TOKEN_ERRORS: ReadonlySet<unknown> = new Set([
  'missing-input-response',
  'invalid-input-response',
  'timeout-or-duplicate',
  'expired-input-response',
  'already-seen-response',
  'invalid-or-already-seen-response',
]);

/** The data that a page needs to show the captcha, and the function that checks the tokens of visitors. */
export interface Captcha extends Omit<ServiceSpec, 'verifyUrl'> {
  readonly service: CaptchaService;
  readonly siteKey: string;
  /**
   * Checks a token. Each token is valid only once. Never throws. After `failed`, the visitor can solve the
   * captcha again.
   */
  readonly check: (token: string) => Promise<'passed' | 'failed' | 'unavailable'>;
}

/** @param warn logs why tokens cannot be checked */
export function createCaptcha(
  { service, siteKey, secretKey, scriptUrl, verifyUrl }: CaptchaOptions,
  warn: (error: unknown, message: string) => void,
  timeoutMs = TIMEOUT_MS,
): Captcha {
  const { verifyUrl: defaultVerifyUrl, ...spec } = SERVICES[service];
  return {
    ...spec,
    service,
    siteKey,
    scriptUrl: scriptUrl ?? spec.scriptUrl,
    origins: scriptUrl === undefined ? spec.origins : [new URL(scriptUrl).origin, ...spec.origins],
    check: async (token) => {
      try {
        const fields = {
          secret: secretKey,
          response: token,
          ...(service === 'hcaptcha' && { sitekey: siteKey }),
        };
        const errors = await verify(verifyUrl ?? defaultVerifyUrl, fields, timeoutMs);
        if (errors === null) return 'passed';
        if (errors.length > 0 && errors.every((code) => TOKEN_ERRORS.has(code))) return 'failed';
        throw new Error(`${service} could not check the token: ${errors.join(', ') || 'no error code'}`);
      } catch (error) {
        warn(
          error,
          'captcha solutions cannot be checked, so applications are rejected with a 503. Check the keys, and whether this server can reach the captcha service',
        );
        return 'unavailable';
      }
    },
  };
}

/**
 * Calls the API `siteverify`. Both services have the same API.
 * @returns null if the token is valid, and otherwise the error codes
 * @throws when the service cannot be reached, is too slow, or sends an unexpected reply
 */
async function verify(
  url: string,
  fields: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<readonly unknown[] | null> {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const reply: unknown = await response.json().catch(() => null);
  const isObject = typeof reply === 'object' && reply !== null;
  if (isObject && 'success' in reply && reply.success === true && response.ok) return null;
  if (isObject && 'error-codes' in reply && Array.isArray(reply['error-codes'])) return reply['error-codes'];
  throw new Error(
    `The captcha service replied with status ${response.status}, but with neither "success": true nor "error-codes"`,
  );
}
