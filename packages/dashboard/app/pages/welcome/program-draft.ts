import * as common from '#messages/common.ts';
import * as settings from '#messages/settings.tsx';
import * as messages from '#messages/welcome.tsx';
import { parseMoney } from '../../format/amount-input.ts';
import {
  type CommissionDraft,
  checkCommission,
  commissionBody,
  rateBpsOf,
} from '../policies/commission-draft.ts';

/**
 * The fields of the first step. Until the program exists, they are in the URL, so that they survive a reload.
 */
export interface ProgramDraft {
  readonly name: string;
  readonly site: string;
  readonly currency: string;
  readonly workspaceId: string;
}

/** The fields of the second step. They are in the URL too. */
export interface TermsDraft extends CommissionDraft {
  readonly windowDays: string;
  readonly holdDays: string;
}

/** The default terms of a new program. */
export const DEFAULT_TERMS: TermsDraft = {
  type: 'percent',
  rate: '20',
  amount: '10',
  windowDays: '30',
  holdDays: '30',
};

/** Returns the terms in the parameters of the URL, without the other parameters. */
export function termsOf(query: Readonly<Record<string, string>>): TermsDraft {
  const { type, rate, amount, windowDays, holdDays } = { ...DEFAULT_TERMS, ...query };
  return { type: type === 'flat' ? 'flat' : 'percent', rate, amount, windowDays, holdDays };
}

type Errors<Draft> = Readonly<Partial<Record<keyof Draft, string>>>;

/** Hosts on the computer or in the network of the user. They rarely have a certificate. */
const LOCAL_HOST = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/i;

/**
 * Returns the URL of a site. If the user omitted the protocol, it is added: http for local hosts, otherwise https.
 * Returns null if the text is not the URL of a site.
 */
export function siteUrlOf(text: string): string | null {
  const site = text.trim();
  const protocol = LOCAL_HOST.test(site) ? 'http' : 'https';
  const url = /^https?:\/\//i.test(site) ? site : `${protocol}://${site}`;
  if (!URL.canParse(url)) return null;
  const { hostname, href, username } = new URL(url);
  return username === '' && (hostname.includes('.') || hostname === 'localhost') ? href : null;
}

export function checkProgram({ name, site, currency }: ProgramDraft): Errors<ProgramDraft> {
  return {
    ...(name.trim() === '' && { name: common.nameMissing }),
    ...(siteUrlOf(site) === null && { site: messages.siteMissing }),
    ...(!Intl.supportedValuesOf('currency').includes(currency) && { currency: messages.currencyCodeInvalid }),
  };
}

function isDays(text: string, min: number): boolean {
  return /^\d{1,3}$/.test(text.trim()) && Number(text) >= min && Number(text) <= 365;
}

export function checkTerms(draft: TermsDraft, currency: string): Errors<TermsDraft> {
  return {
    ...checkCommission(draft, currency),
    ...(!isDays(draft.windowDays, 1) && { windowDays: settings.windowInvalid }),
    ...(!isDays(draft.holdDays, 0) && { holdDays: settings.holdInvalid }),
  };
}

/** Returns the body of the request that creates the program. The drafts must be valid. */
export function programBody({ name, site, currency, workspaceId }: ProgramDraft, terms: TermsDraft): object {
  return {
    name: name.trim(),
    site_url: siteUrlOf(site),
    currency,
    cookie_window_days: Number(terms.windowDays),
    hold_days: Number(terms.holdDays),
    commission: commissionBody(terms, currency),
    ...(workspaceId !== '' && { workspace_id: Number(workspaceId) }),
  };
}

/**
 * Returns the commission of an example sale, in the smallest unit of the currency, or null if the terms are
 * not valid.
 */
export function exampleCents(terms: TermsDraft, saleCents: number, currency: string): number | null {
  if (terms.type === 'flat') return parseMoney(terms.amount, currency);
  const bps = rateBpsOf(terms.rate);
  return bps === null ? null : Math.round((saleCents * bps) / 10_000);
}
