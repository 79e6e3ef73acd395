import * as common from '#messages/common.ts';
import * as settings from '#messages/settings.tsx';
import * as messages from '#messages/welcome.tsx';
import { parseMoney } from '../../format/money.ts';

/** The first step as the form has it. It is in the URL until the program exists, so that a reload keeps it. */
export interface ProgramDraft {
  readonly name: string;
  readonly site: string;
  readonly currency: string;
  readonly workspaceId: string;
}

/** The second step as the form has it. */
export interface TermsDraft {
  readonly type: 'percent' | 'flat';
  readonly rate: string;
  readonly amount: string;
  readonly windowDays: string;
  readonly holdDays: string;
}

export const DEFAULT_TERMS: TermsDraft = {
  type: 'percent',
  rate: '20',
  amount: '10',
  windowDays: '30',
  holdDays: '30',
};

type Errors<Draft> = Readonly<Partial<Record<keyof Draft, string>>>;

/** The address with its protocol, which people leave out, or null when it is not an address of a site. */
export function siteUrlOf(text: string): string | null {
  const url = /^https?:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`;
  if (!URL.canParse(url)) return null;
  const { hostname, href } = new URL(url);
  return hostname.includes('.') || hostname === 'localhost' ? href : null;
}

export function checkProgram({ name, site, currency }: ProgramDraft): Errors<ProgramDraft> {
  return {
    ...(name.trim() === '' && { name: common.nameMissing }),
    ...(siteUrlOf(site) === null && { site: messages.siteMissing }),
    ...(!/^[A-Z]{3}$/.test(currency) && { currency: messages.currencyCodeInvalid }),
  };
}

/** A percentage in hundredths of a percent, or null when it is not one from 0 to 100. */
export function rateBpsOf(text: string): number | null {
  const match = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text.trim());
  if (!match) return null;
  const [, whole = '', fraction = ''] = match;
  const bps = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return bps <= 10_000 ? bps : null;
}

function isDays(text: string, min: number): boolean {
  return /^\d{1,3}$/.test(text.trim()) && Number(text) >= min && Number(text) <= 365;
}

export function checkTerms(draft: TermsDraft, currency: string): Errors<TermsDraft> {
  return {
    ...(draft.type === 'percent' &&
      rateBpsOf(draft.rate) === null && {
        rate: 'Enter a percentage from 0 to 100, with at most two decimals.',
      }),
    ...(draft.type === 'flat' &&
      parseMoney(draft.amount, currency) === null && { amount: `Enter an amount in ${currency}.` }),
    ...(!isDays(draft.windowDays, 1) && { windowDays: settings.windowInvalid }),
    ...(!isDays(draft.holdDays, 0) && { holdDays: settings.holdInvalid }),
  };
}

/** The body of the request that creates the program. The drafts must be valid. */
export function programBody({ name, site, currency, workspaceId }: ProgramDraft, terms: TermsDraft): object {
  return {
    name: name.trim(),
    site_url: siteUrlOf(site),
    currency,
    cookie_window_days: Number(terms.windowDays),
    hold_days: Number(terms.holdDays),
    commission:
      terms.type === 'percent'
        ? { type: 'percent', rate: (rateBpsOf(terms.rate) ?? 0) / 100 }
        : { type: 'flat', amount_cents: parseMoney(terms.amount, currency) },
    ...(workspaceId !== '' && { workspace_id: Number(workspaceId) }),
  };
}

/** What the partner of a sale of 100 earns, in the smallest unit, or null when the terms are not valid. */
export function exampleCents(terms: TermsDraft, saleCents: number, currency: string): number | null {
  if (terms.type === 'flat') return parseMoney(terms.amount, currency);
  const bps = rateBpsOf(terms.rate);
  return bps === null ? null : Math.floor((saleCents * bps) / 10_000);
}
