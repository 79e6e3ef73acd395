import type { trackLeadRequest } from '@affkit/protocol';
import type { z } from 'zod';
import type { Rejection } from '../rejection.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { LeadBrowser } from './browser-lead.ts';
import { keepHttpUrl } from './visit.ts';

export type ReportedLead = z.output<typeof trackLeadRequest>;

/** The source of a lead: the advertiser's server with its token, or a visitor's browser. */
type LeadReporter = { readonly mode: 'server' } | LeadBrowser;

/** A lead that is waiting for its batch. */
export interface LeadRequest {
  /** The program, as it was when the request arrived. */
  readonly program: ProgramAccount;
  readonly lead: ReportedLead;
  readonly reporter: LeadReporter;
  /** The time of the sign-up. */
  readonly at: number;
  /** When the request arrived. */
  readonly now: number;
  readonly requestId?: string | undefined;
}

interface RecordedLead {
  readonly kind: 'recorded';
}

export type LeadOutcome = RecordedLead | Rejection;

/** Returns the columns that are copied unchanged from the request. */
export function leadColumnsOf(lead: ReportedLead) {
  return {
    customer_key: lead.customer_key ?? null,
    session_id: lead.session_id ?? null,
    page_url: keepHttpUrl(lead.page_url),
    event_name: lead.additional_data?.event_name ?? null,
  };
}
