/** The services whose captcha the program pages can show. */
const CAPTCHA_SERVICES = ['turnstile', 'hcaptcha'] as const;
export type CaptchaService = (typeof CAPTCHA_SERVICES)[number];

/** The captcha of the program pages. */
export interface CaptchaOptions {
  /** `turnstile` of Cloudflare, or `hcaptcha`. */
  readonly service: CaptchaService;
  /**
   * The public key of the widget. In the settings of the service, allow this key for the host name of the
   * program pages.
   */
  readonly siteKey: string;
  readonly secretKey: string;
  /**
   * The URL of the widget's script, for example on your own proxy. Its origin is added to the content security
   * policy of the pages.
   *
   * @default the script of the service
   */
  readonly scriptUrl?: string | undefined;
  /**
   * The URL that verifies tokens, for example on your own proxy.
   *
   * @default `siteverify` of the service
   */
  readonly verifyUrl?: string | undefined;
}

/**
 * @throws TypeError when a key is missing
 * @throws RangeError when a value is not valid
 */
export function checkCaptchaOptions({ service, siteKey, secretKey, ...urls }: CaptchaOptions): void {
  if (!CAPTCHA_SERVICES.includes(service)) {
    throw new RangeError(
      `createAffkit: captcha.service must be ${CAPTCHA_SERVICES.map((name) => `'${name}'`).join(' or ')}, got ${JSON.stringify(service)}`,
    );
  }
  for (const [name, key] of Object.entries({ siteKey, secretKey })) {
    if (typeof key !== 'string' || key.trim() === '') {
      throw new TypeError(
        `createAffkit: captcha.${name} is required. Copy it from your account at the service.`,
      );
    }
  }
  for (const name of ['scriptUrl', 'verifyUrl'] as const) {
    const url: unknown = urls[name];
    if (url !== undefined && !isSecureUrl(url)) {
      throw new RangeError(
        `createAffkit: captcha.${name} must be an https URL, or an http URL of this machine, got ${JSON.stringify(url)}`,
      );
    }
  }
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Without TLS, others could read the secret key or replace the script in transit. */
function isSecureUrl(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}
