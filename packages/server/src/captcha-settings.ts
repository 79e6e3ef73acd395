import type { CaptchaOptions } from '@affkit/core';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';

const KEY = z.string().regex(/^[\w.:-]+$/, 'must be the key from your account at the service');
const URL_ERROR = 'must be an https URL, such as https://captcha-proxy.example/siteverify';
const url = z.url({ protocol: /^https?$/, error: URL_ERROR }).refine(isSecureUrl, URL_ERROR);

export const captchaVariables = {
  CAPTCHA: z.enum(['turnstile', 'hcaptcha'], 'must be turnstile or hcaptcha').optional(),
  CAPTCHA_SITE_KEY: KEY.optional(),
  CAPTCHA_SECRET_KEY: KEY.optional(),
  CAPTCHA_SCRIPT_URL: url.optional(),
  CAPTCHA_VERIFY_URL: url.optional(),
};

type Settings = z.output<z.ZodObject<typeof captchaVariables>>;

/**
 * @returns undefined if the program pages have no captcha
 * @throws ConfigError when a variable is missing
 */
export function readCaptchaSettings(settings: Settings): CaptchaOptions | undefined {
  const { CAPTCHA: service, CAPTCHA_SITE_KEY: siteKey, CAPTCHA_SECRET_KEY: secretKey } = settings;
  if (service === undefined) {
    const set = Object.keys(captchaVariables).find((name) => settings[name as keyof Settings] !== undefined);
    if (set !== undefined) throw new ConfigError('CAPTCHA', `is required together with ${set}.`);
    return undefined;
  }
  if (siteKey === undefined) throw new ConfigError('CAPTCHA_SITE_KEY', 'is required together with CAPTCHA.');
  if (secretKey === undefined)
    throw new ConfigError('CAPTCHA_SECRET_KEY', 'is required together with CAPTCHA.');
  const { CAPTCHA_SCRIPT_URL: scriptUrl, CAPTCHA_VERIFY_URL: verifyUrl } = settings;
  return { service, siteKey, secretKey, scriptUrl, verifyUrl };
}

/** Whether the URL uses https, or its host is this machine. */
function isSecureUrl(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
