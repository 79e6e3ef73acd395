import type { ErrorCode } from '@affkit/protocol';
import type { Lead, LeadResult } from './api.ts';
import { turn } from './click.ts';
import { consentDecided, isGranted } from './consent.ts';
import { clickIdOf, submit } from './outbox.ts';
import { debugLog } from './page.ts';
import type { Reply } from './transport.ts';

const alreadyRecorded: ErrorCode = 'lead_already_recorded';

/**
 * Reports a sign-up with the current click. If the server has already recorded the lead, this counts as
 * success.
 */
export async function sendLead(lead: Lead): Promise<LeadResult | null> {
  await consentDecided;
  // Without a click, do not store the lead, unless `turn` is set: the visit of this page may then still get a click.
  const reply: Partial<Reply> =
    (isGranted &&
      (turn || clickIdOf(lead) !== ''
        ? await submit('lead', lead, lead.additional_data)
        : debugLog('lead', 'no_click'))) ||
    {};
  const duplicate = reply['code'] === alreadyRecorded;
  return duplicate || reply['success']
    ? { success: true, duplicate, message: (reply['message'] || reply['error']) as string }
    : null;
}
