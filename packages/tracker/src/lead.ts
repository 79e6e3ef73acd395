import type { ErrorCode } from '@affkit/protocol';
import type { Lead, LeadResult } from './api.ts';
import { submit } from './outbox.ts';

const alreadyRecorded: ErrorCode = 'lead_already_recorded';

/** Reports a signup with the current click. A lead that the server has already recorded is a success. */
export async function sendLead(lead: Lead): Promise<LeadResult | null> {
  const reply = await submit('lead', { page_url: location.href, ...lead }, lead.additional_data);
  const body = reply ? reply.body : {};
  const duplicate = body['code'] === alreadyRecorded;
  return body['success'] || duplicate
    ? { success: true, message: `${body['message'] || body['error']}`, duplicate }
    : null;
}
