import type { UpdateProgramRequest } from '@affkit/protocol';
import * as common from '#messages/common.ts';
import * as messages from '#messages/settings.tsx';
import type { ApiError } from '../../api/client.ts';
import type { Program } from '../../api/types.ts';
import { parseMoney, toInput } from '../../format/amount-input.ts';
import { formatMoney } from '../../format/money.ts';

/** The settings of a program in the form. Numbers and amounts are texts. */
export interface SettingsDraft {
  readonly name: string;
  readonly slug: string;
  readonly site_url: string;
  readonly currency: string;
  readonly attribution_model: Program['attribution_model'];
  readonly cookie_window_days: string;
  readonly hold_days: string;
  readonly commission_base: Program['commission_base'];
  readonly min_sale_cents: string;
  readonly claimed_keys: Program['claimed_keys'];
  readonly browser_leads: Program['browser_leads'];
  readonly require_origin: 'true' | 'false';
  /** Each line is an origin. */
  readonly allowed_origins: string;
  readonly cookie_domain: string;
}

export type SettingName = keyof SettingsDraft;
export type SettingErrors = Readonly<Partial<Record<SettingName, string>>>;

const SETTING_NAMES = Object.keys(messages.labels) as readonly SettingName[];

export function settingsDraftOf(program: Program): SettingsDraft {
  return {
    name: program.name,
    slug: program.slug,
    site_url: program.site_url,
    currency: program.currency,
    attribution_model: program.attribution_model,
    cookie_window_days: String(program.cookie_window_days),
    hold_days: String(program.hold_days),
    commission_base: program.commission_base,
    // A zero without decimals is valid in every currency, also after a change of the currency.
    min_sale_cents: program.min_sale_cents === 0 ? '0' : toInput(program.min_sale_cents, program.currency),
    claimed_keys: program.claimed_keys,
    browser_leads: program.browser_leads,
    require_origin: program.require_origin ? 'true' : 'false',
    allowed_origins: program.allowed_origins.join('\n'),
    cookie_domain: program.cookie_domain ?? '',
  };
}

/** Returns the settings that differ from the stored settings of the program. */
export function changedSettings(draft: SettingsDraft, program: Program): SettingName[] {
  const saved = settingsDraftOf(program);
  return SETTING_NAMES.filter((name) => normalizeSetting(name, draft) !== normalizeSetting(name, saved));
}

function normalizeSetting(name: SettingName, draft: SettingsDraft): string {
  switch (name) {
    case 'allowed_origins':
      return originsOf(draft).join('\n');
    case 'min_sale_cents':
      // Compare numbers of the smallest unit, because the same text is a different number in another currency.
      return String(parseMoney(draft.min_sale_cents, draft.currency) ?? draft.min_sale_cents);
    default:
      return draft[name].trim();
  }
}

export function originsOf({ allowed_origins }: SettingsDraft): string[] {
  return allowed_origins
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * Returns the origin of a changed site, and whether the draft allows this website. Returns null if the site has not
 * changed or is not a valid URL, or if both the stored settings and the draft allow the origin.
 */
export function newSiteOf(
  draft: SettingsDraft,
  program: Program,
): { readonly origin: string; readonly isAllowed: boolean } | null {
  const site = draft.site_url.trim();
  if (site === program.site_url || !isHttpUrl(site)) return null;
  const { origin } = new URL(site);
  const isAllowed = allows(originsOf(draft), origin);
  return isAllowed && allows(program.allowed_origins, origin) ? null : { origin, isAllowed };
}

function allows(origins: readonly string[], origin: string): boolean {
  // The server stores origins without a trailing slash, but users may type one.
  return origins.some((one) => one === '*' || one.replace(/\/$/, '').toLowerCase() === origin);
}

/** Returns the body of a request that changes these settings. The draft must be valid. */
export function settingsBodyOf(names: readonly SettingName[], draft: SettingsDraft): UpdateProgramRequest {
  const body = {
    name: draft.name.trim(),
    slug: draft.slug.trim(),
    site_url: draft.site_url.trim(),
    currency: draft.currency,
    attribution_model: draft.attribution_model,
    cookie_window_days: Number(draft.cookie_window_days),
    hold_days: Number(draft.hold_days),
    commission_base: draft.commission_base,
    min_sale_cents: parseMoney(draft.min_sale_cents, draft.currency) ?? 0,
    claimed_keys: draft.claimed_keys,
    browser_leads: draft.browser_leads,
    require_origin: draft.require_origin === 'true',
    allowed_origins: originsOf(draft),
    cookie_domain: draft.cookie_domain.trim() === '' ? null : draft.cookie_domain.trim(),
  };
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.some((one) => one === name)));
}

/** Checks the draft and returns its errors. The server checks the rest. */
export function checkSettingsDraft(draft: SettingsDraft): SettingErrors {
  const badOrigin = originsOf(draft).find((origin) => !isOrigin(origin));
  return {
    ...(draft.name.trim() === '' && { name: common.nameMissing }),
    ...(!isHttpUrl(draft.site_url.trim()) && { site_url: messages.siteMissing }),
    ...(!isDays(draft.cookie_window_days, 1) && { cookie_window_days: messages.windowInvalid }),
    ...(!isDays(draft.hold_days, 0) && { hold_days: messages.holdInvalid }),
    ...(parseMoney(draft.min_sale_cents, draft.currency) === null && {
      min_sale_cents: messages.minSaleInvalid(draft.currency, toInput(500, draft.currency)),
    }),
    ...(badOrigin !== undefined && { allowed_origins: messages.originInvalid(badOrigin) }),
  };
}

function isDays(text: string, min: number): boolean {
  return /^\d{1,3}$/.test(text.trim()) && Number(text) >= min && Number(text) <= 365;
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function isOrigin(text: string): boolean {
  if (text === '*') return true;
  if (!isHttpUrl(text)) return false;
  const { pathname, search, hash } = new URL(text);
  return pathname === '/' && search === '' && hash === '';
}

const FIELD_OF_CODE: Readonly<Record<string, SettingName>> = {
  slug_taken: 'slug',
  currency_immutable: 'currency',
};

/** Returns the setting that a server error is about, or null if the message contains no setting. */
export function settingOf(error: Error | Pick<ApiError, 'code' | 'message'>): SettingName | null {
  if (!('code' in error)) return null;
  const byCode = FIELD_OF_CODE[error.code];
  if (byCode) return byCode;
  // Use the first word that is the name of a setting. Later words may match by chance, such as `name` in "domain name".
  const words = error.message.match(/\w+/g) ?? [];
  return SETTING_NAMES.find((name) => name === words.find((word) => word in messages.labels)) ?? null;
}

/** Formats the value of a setting for display. */
export function describeSetting(name: SettingName, draft: SettingsDraft): string {
  switch (name) {
    case 'attribution_model':
      return messages.choices.attribution_model[draft.attribution_model];
    case 'commission_base':
      return messages.choices.commission_base[draft.commission_base];
    case 'claimed_keys':
      return messages.choices.claimed_keys[draft.claimed_keys];
    case 'browser_leads':
      return messages.choices.browser_leads[draft.browser_leads];
    case 'require_origin':
      return messages.choices.require_origin[draft.require_origin];
    case 'cookie_window_days':
    case 'hold_days':
      return messages.days(draft[name]);
    case 'min_sale_cents': {
      const cents = parseMoney(draft.min_sale_cents, draft.currency);
      if (cents === 0) return messages.notSet;
      return cents === null ? draft.min_sale_cents : formatMoney(cents, draft.currency);
    }
    case 'allowed_origins':
      return messages.origins(originsOf(draft)) || messages.notSet;
    default:
      return draft[name].trim() || messages.notSet;
  }
}
