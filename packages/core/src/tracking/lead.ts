import type { trackLeadRequest } from '@affkit/protocol';
import type { z } from 'zod';
import type { Rejection } from '../rejection.ts';
import type { ProgramAccount } from '../storage/programs.ts';
import { keepHttpUrl } from './visit.ts';

export type LeadInput = z.output<typeof trackLeadRequest>;

/** A lead as it waits for its batch. */
export interface LeadRequest {
  /** As it was when the lead came. */
  readonly program: ProgramAccount;
  readonly lead: LeadInput;
  /** Who reports it: the advertiser's server, by its token, or a visitor's browser. */
  readonly mode: 'server' | 'browser';
  /** When it took place. */
  readonly at: number;
  /** When it arrived. */
  readonly now: number;
}

interface LeadRecorded {
  readonly kind: 'recorded';
}

export type LeadOutcome = LeadRecorded | Rejection;

/** The stored columns that come from the request as it is. */
export function describeLead(lead: LeadInput) {
  return {
    customer_key: lead.customer_key ?? null,
    session_id: lead.session_id ?? null,
    page_url: keepHttpUrl(lead.page_url),
    event_name: lead.additional_data?.event_name ?? null,
  };
}
