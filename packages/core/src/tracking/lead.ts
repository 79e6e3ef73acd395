import type { trackLeadRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { isOriginAllowed } from '../domain/origin.ts';
import { Rejection } from '../rejection.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { keepHttpUrl } from './visit.ts';

export type LeadInput = z.output<typeof trackLeadRequest>;

/** A browser that reports a lead. */
export interface LeadBrowser {
  readonly mode: 'browser';
  readonly origin: string | undefined;
  readonly ownHost: string | undefined;
}

/** Who reports a lead: the advertiser's server, by its token, or a visitor's browser. */
type Reporter = { readonly mode: 'server' } | LeadBrowser;

/** A lead as it waits for its batch. */
export interface LeadRequest {
  /** As it was when the lead came. */
  readonly program: ProgramAccount;
  readonly lead: LeadInput;
  readonly reporter: Reporter;
  /** When it took place. */
  readonly at: number;
  /** When it arrived. */
  readonly now: number;
}

interface LeadRecorded {
  readonly kind: 'recorded';
}

export type LeadOutcome = LeadRecorded | Rejection;

/** Why a program does not take a lead from a browser; null where it does. */
export function refuseBrowser(
  program: ProgramAccount,
  lead: LeadInput,
  { origin, ownHost }: LeadBrowser,
): Rejection | null {
  if (!isOriginAllowed(origin, program.allowedOrigins, ownHost)) return new Rejection('origin_not_allowed');
  if (program.browserLeads === 'off') return new Rejection('browser_leads_off');
  if (program.browserLeads === 'without_key' && lead.customer_key !== undefined) {
    return new Rejection('browser_key_not_allowed');
  }
  return null;
}

/** The stored columns that come from the request as it is. */
export function describeLead(lead: LeadInput) {
  return {
    customer_key: lead.customer_key ?? null,
    session_id: lead.session_id ?? null,
    page_url: keepHttpUrl(lead.page_url),
    event_name: lead.additional_data?.event_name ?? null,
  };
}
