import { updatePayoutSettingsRequest } from '@affkit/protocol';
import { maskAccountNumber } from '../domain/payout-details.ts';
import {
  changePayoutSettings,
  type PayoutSettingsView,
  readPayoutSettings,
} from '../management/payout-settings.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PAYOUT_SETTINGS_PATH = '/api/advertiser/affiliate-programs/:id/payout-settings';

export const payoutSettingsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PAYOUT_SETTINGS_PATH,
    access: { kind: 'management', scope: 'payout:list', program: true },
    handle: async (runtime, { caller: { program } }) =>
      replyWithItem(await readPayoutSettings(runtime, program), toSettingsReply),
  }),
  route({
    method: 'PUT',
    path: PAYOUT_SETTINGS_PATH,
    access: { kind: 'management', scope: 'payout:create', program: true },
    body: updatePayoutSettingsRequest,
    handle: async (runtime, { caller: { program }, body }) =>
      replyWithItem(await changePayoutSettings(runtime, program, body), toSettingsReply),
  }),
];

function toSettingsReply({ settings, debtor, providers }: PayoutSettingsView) {
  return {
    min_payout_cents: settings.min_payout_cents,
    schedule_day: settings.schedule_day,
    debtor: debtor && { name: debtor.name, iban_masked: maskAccountNumber(debtor.iban), bic: debtor.bic },
    providers,
  };
}
