import { checkOrigin } from '../domain/check-origin.ts';
import { Rejection } from '../rejection.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';

/** A visitor's browser as the source of a lead. */
export interface LeadBrowser {
  readonly mode: 'browser';
  readonly origin: string | undefined;
  readonly ownHost: string | undefined;
}

/** @returns the reason why the program rejects this lead from a browser, or null when it accepts the lead */
export function checkBrowserLead(
  program: ProgramAccount,
  lead: { readonly customer_key?: string | undefined },
  { origin, ownHost }: LeadBrowser,
): Rejection | null {
  const fault = checkOrigin(origin, program, ownHost);
  if (fault) return fault;
  if (program.browserLeads === 'off') return new Rejection('browser_leads_off');
  if (program.browserLeads === 'without_key' && lead.customer_key !== undefined) {
    return new Rejection('browser_key_not_allowed');
  }
  return null;
}
