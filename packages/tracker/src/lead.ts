import type { ErrorCode } from '@affkit/protocol';
import type { Lead, LeadAnswer } from './api.ts';
import { submit } from './outbox.ts';

const alreadyRecorded: ErrorCode = 'lead_already_recorded';

/** Reports a signup by the current click. A repeat of one that the server has is a success too. */
export async function sendLead(lead: Lead): Promise<LeadAnswer | null> {
  const reply = await submit('lead', { page_url: location.href, ...lead }, lead.additional_data);
  const body = reply ? reply.body : {};
  const duplicate = body['code'] === alreadyRecorded;
  return body['success'] || duplicate
    ? { success: true, message: `${body['message'] || body['error']}`, duplicate }
    : null;
}
