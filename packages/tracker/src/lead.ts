import type { ErrorCode } from '@affkit/protocol';
import type { Lead, LeadResult } from './api.ts';
import { submit } from './outbox.ts';
import type { Reply } from './transport.ts';

const alreadyRecorded: ErrorCode = 'lead_already_recorded';

/**
 * Reports a sign-up with the current click. If the server has already recorded the lead, this counts as
 * success.
 */
export async function sendLead(lead: Lead): Promise<LeadResult | null> {
  const reply: Partial<Reply> = (await submit('lead', lead, lead.additional_data)) || {};
  const duplicate = reply['code'] === alreadyRecorded;
  return reply['success'] || duplicate
    ? { success: true, message: (reply['message'] || reply['error']) as string, duplicate }
    : null;
}
