import {
  createPartnerRequest,
  partnersCsvQuery,
  partnersQuery,
  updatePartnerRequest,
} from '@affkit/protocol';
import { programScopeOf } from '../access/permission.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { formatMoney } from '../domain/money.ts';
import type { IssuedInvite } from '../management/invites.ts';
import {
  changePartner,
  createPartner,
  findPartner,
  invitePartner,
  listPartners,
  type PartnerView,
} from '../management/partners.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { type Application, findApplication } from '../storage/programs/applications.ts';
import type { PartnerFigures } from '../storage/programs/partner-figures.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { listPartnerAmounts } from '../storage/reads/partner-amounts.ts';
import { replyWithCsv } from './csv-export.ts';
import { inviteReplyFields } from './invites.ts';
import { toLinkReply } from './links.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Reply, type Route, replyWithItem, route } from './route.ts';

const PARTNERS_PATH = '/api/advertiser/affiliate-programs/:id/partners';

export const partnerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PARTNERS_PATH,
    readsReplica: true,
    access: { kind: 'management', scope: 'partner:list', program: true },
    query: partnersQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { partners, total } = await listPartners(runtime, program, query, rowRangeOf(query));
      const data = partners.map((partner) => toPartnerReply(program, partner));
      return replyWithList(data, query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${PARTNERS_PATH}.csv`,
    readsReplica: true,
    access: { kind: 'management', scope: 'partner:list', program: true },
    query: partnersCsvQuery,
    handle: (runtime, { caller: { program }, query }) =>
      replyWithCsv(runtime, {
        name: `partners-${program.slug}`,
        columns: PARTNER_CSV_COLUMNS,
        owner: `workspace ${program.workspaceId}`,
        listCsvRows: async (snapshot, range) => {
          const { partners } = await listPartners(snapshot, program, query, range);
          return partners.map((partner) => toPartnerCsvRow(toPartnerReply(program, partner)));
        },
      }),
  }),
  route({
    method: 'POST',
    path: PARTNERS_PATH,
    access: { kind: 'management', scope: 'partner:create', program: true },
    body: createPartnerRequest,
    handle: async (runtime, { caller: { actor, program }, body }) => {
      const created = await createPartner(runtime, program, body, programScopeOf(actor));
      if (isRejection(created)) return created;
      const data = { ...toPartnerReply(program, created.partner), ...inviteReplyFields(created.invite) };
      return { status: created.isNew ? 201 : 200, body: { success: true, data } };
    },
  }),
  route({
    method: 'GET',
    path: `${PARTNERS_PATH}/:partnerId`,
    access: { kind: 'management', scope: 'partner:list', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithPartner(runtime, program, await findPartner(runtime, program, params.partnerId)),
  }),
  route({
    method: 'PUT',
    path: `${PARTNERS_PATH}/:partnerId`,
    access: { kind: 'management', scope: 'partner:update', program: true },
    body: updatePartnerRequest,
    handle: async (runtime, { caller: { actor, program }, params, body }) => {
      const changed = await changePartner(runtime, program, params.partnerId, body, programScopeOf(actor));
      return isRejection(changed)
        ? changed
        : await replyWithPartner(runtime, program, changed.partner, changed.invite);
    },
  }),
  route({
    method: 'POST',
    path: `${PARTNERS_PATH}/:partnerId/invite`,
    access: { kind: 'management', scope: 'partner:create', program: true },
    handle: async (runtime, { caller: { actor, program }, params }) =>
      replyWithItem(
        await invitePartner(runtime, program, params.partnerId, programScopeOf(actor)),
        inviteReplyFields,
        201,
      ),
  }),
];

const PARTNER_CSV_COLUMNS = [
  'id',
  'partner_program_id',
  'name',
  'email',
  'status',
  'balances',
  'payable',
  'clicks',
  'leads',
  'conversions',
  'short_links',
];

/** The amounts are texts in major units, each with its currency, such as `12.50 USD`. */
function toPartnerCsvRow({ balances, links, ...row }: ReturnType<typeof toPartnerReply>) {
  const amounts = (centsOf: (balance: (typeof balances)[number]) => number) =>
    balances.map((one) => formatMoney(centsOf(one), one.currency)).join(', ');
  return {
    ...row,
    balances: amounts((balance) => balance.balance_cents),
    payable: amounts((balance) => balance.payable_cents),
    short_links: links.map((link) => link.short_link).join(' '),
  };
}

function toPartnerReply(program: ProgramAccount, partner: PartnerView) {
  return {
    id: partner.id,
    partner_program_id: partner.partnerProgramId,
    name: partner.name,
    email: partner.email,
    status: partner.status,
    status_reason: partner.statusReason,
    applied_at: isoTimeOrNull(partner.appliedAt),
    ...partnerFigureFields(program.currency, partner.figures),
    links: partner.links.map((link) => toLinkReply(program, link)),
  };
}

/** Replies with a partner, the partner's application, and a new invitation, if any. */
async function replyWithPartner(
  runtime: Runtime,
  program: ProgramAccount,
  partner: PartnerView | Rejection,
  invite: IssuedInvite | null = null,
): Promise<Reply | Rejection> {
  if (isRejection(partner)) return partner;
  const { read } = runtime.engine;
  const application = await findApplication(read, program.id, partner.id);
  const amounts = await listPartnerAmounts(read, program.id, [partner.id], runtime.now());
  const data = {
    ...toPartnerReply(program, partner),
    amounts: amounts.map((one) => ({
      currency: one.currency,
      pending_cents: one.pendingCents,
      on_hold_cents: one.onHoldCents,
      in_payout_cents: one.inPayoutCents,
      to_deduct_cents: one.toDeductCents,
      paid_cents: one.paidCents,
    })),
    application: application && toApplicationReply(application),
    min_payout_cents: partner.minPayoutCents,
    has_account: partner.userId !== null,
    ...inviteReplyFields(invite),
  };
  return { body: { success: true, data } };
}

export function toApplicationReply(application: Application) {
  const { answers, invitationCode, approvedBy, appliedAt, emailConfirmedAt } = application;
  return {
    applied_at: isoTime(appliedAt),
    answers,
    invitation_code: invitationCode,
    approved_by: approvedBy,
    email_confirmed_at: isoTimeOrNull(emailConfirmedAt),
  };
}

/** @param programCurrency the currency of `balance_cents` and `payable_cents`; `balances` has all currencies */
export function partnerFigureFields(programCurrency: string, figures: PartnerFigures) {
  const programBalance = figures.balances.find((balance) => balance.currency === programCurrency);
  return {
    balance_cents: programBalance?.balanceCents ?? 0,
    payable_cents: programBalance?.payableCents ?? 0,
    balances: figures.balances.map((balance) => ({
      currency: balance.currency,
      balance_cents: balance.balanceCents,
      payable_cents: balance.payableCents,
    })),
    clicks: figures.clicks,
    leads: figures.leads,
    conversions: figures.conversions,
  };
}
