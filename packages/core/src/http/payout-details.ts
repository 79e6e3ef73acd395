import {
  deletePayoutDetailsRequest,
  portalPayoutDetailsQuery,
  updatePayoutDetailsRequest,
} from '@affkit/protocol';
import type { SessionActor } from '../access/actor.ts';
import { canConfirm, confirmPassword } from '../access/confirm-password.ts';
import { choosePortalPartner } from '../access/partner-choice.ts';
import { isoTime } from '../domain/calendar.ts';
import { maskAccount, toPayoutDetails } from '../domain/payout-details.ts';
import {
  changePayoutDetails,
  type PayoutDetailsView,
  readPayoutDetails,
  readPayoutDetailsInProgram,
  removePayoutDetails,
} from '../management/payout-details.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { type Route, replyWithItem, route } from './route.ts';

const OWN_DETAILS_PATH = '/api/partner/payout-details';

export const payoutDetailsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: OWN_DETAILS_PATH,
    access: { kind: 'partner' },
    query: portalPayoutDetailsQuery,
    handle: async (runtime, { caller, query }) => {
      const partner = choosePortalPartner(caller, query.partner_id);
      if (isRejection(partner)) return partner;
      const view = await readPayoutDetails(runtime, partner.id);
      return { body: { success: true, data: view && toDetailsReply(view) } };
    },
  }),
  route({
    method: 'PUT',
    path: OWN_DETAILS_PATH,
    access: { kind: 'partner' },
    limiter: 'passwords',
    body: updatePayoutDetailsRequest,
    handle: async (runtime, { caller, body }) => {
      const { partner_id, password, ...sent } = body;
      const partner = choosePortalPartner(caller, partner_id);
      if (isRejection(partner)) return partner;
      const mayReplace = await confirmChange(runtime, caller.actor, password);
      if (isRejection(mayReplace)) return mayReplace;
      const details = toPayoutDetails(sent);
      return replyWithItem(
        await changePayoutDetails(runtime, partner, details, { mayReplace }),
        toDetailsReply,
      );
    },
  }),
  route({
    method: 'DELETE',
    path: OWN_DETAILS_PATH,
    access: { kind: 'partner' },
    limiter: 'passwords',
    query: portalPayoutDetailsQuery,
    body: deletePayoutDetailsRequest,
    handle: async (runtime, { caller, query, body }) => {
      const partner = choosePortalPartner(caller, query.partner_id);
      if (isRejection(partner)) return partner;
      const mayDelete = await confirmChange(runtime, caller.actor, body.password);
      if (isRejection(mayDelete)) return mayDelete;
      return (await removePayoutDetails(runtime, partner, { mayDelete })) ?? { body: { success: true } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/advertiser/affiliate-programs/:id/partners/:partnerId/payout-details',
    access: { kind: 'management', scope: 'payout:create', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const view = await readPayoutDetailsInProgram(runtime, program.id, params.partnerId);
      if (isRejection(view)) return view;
      return { body: { success: true, data: view && toMaskedReply(view) } };
    },
  }),
];

/**
 * Whether the user may change existing details. The user must send the correct password, unless Affkit cannot check a
 * password, for example in a session of an external identity provider.
 * @returns false when a required password is missing; a rejection when the password is wrong or was tried too often
 */
async function confirmChange(
  runtime: Runtime,
  actor: SessionActor,
  password: string | undefined,
): Promise<boolean | Rejection> {
  if (password === undefined) return !(await canConfirm(runtime, actor));
  return (await confirmPassword(runtime, actor, password)) ?? true;
}

/** The payout details as their partner sees them. */
export function toDetailsReply({ partnerId, details, updatedAt }: PayoutDetailsView): object {
  return { partner_id: partnerId, ...details, updated_at: isoTime(updatedAt) };
}

function toMaskedReply({ partnerId, details, updatedAt }: PayoutDetailsView) {
  return {
    partner_id: partnerId,
    method: details.method,
    currency: details.currency,
    account_masked: maskAccount(details),
    country: details.address?.country ?? null,
    has_tax_id: details.tax_id !== null,
    updated_at: isoTime(updatedAt),
  };
}
