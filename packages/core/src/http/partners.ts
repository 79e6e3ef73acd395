import { createPartnerRequest, updatePartnerRequest } from '@affkit/protocol';
import { programScopeOf } from '../access/permission.ts';
import { changePartner, createPartner, listPartners, type PartnerView } from '../management/partners.ts';
import { isRejection } from '../rejection.ts';
import type { PartnerFigures } from '../storage/programs/partner-figures.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { readRowId } from './fields.ts';
import { inviteFields } from './invites.ts';
import { linkRow } from './links.ts';
import { listAnswer, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { itemAnswer, type Route, route } from './route.ts';

const PATH = '/api/advertiser/affiliate-programs/:id/partners';

export const partnerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'partner:list', program: true },
    handle: async (runtime, { caller: { program }, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const { partners, total } = await listPartners(runtime, program, page);
      const data = partners.map((partner) => partnerRow(program, partner));
      return listAnswer(data, page, total);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    access: { kind: 'management', scope: 'partner:create', program: true },
    handle: async (runtime, { caller: { actor, program }, body }) => {
      const input = parseBody(createPartnerRequest, body);
      if (isRejection(input)) return input;
      const created = await createPartner(runtime, program, input, programScopeOf(actor));
      if (isRejection(created)) return created;
      const data = { ...partnerRow(program, created.partner), ...inviteFields(created.invite) };
      return { status: created.isNew ? 201 : 200, body: { success: true, data } };
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:partnerId`,
    access: { kind: 'management', scope: 'partner:update', program: true },
    handle: async (runtime, { caller: { actor, program }, params, body }) => {
      const partnerId = readRowId(params['partnerId']);
      if (isRejection(partnerId)) return partnerId;
      const input = parseBody(updatePartnerRequest, body);
      if (isRejection(input)) return input;
      const partner = await changePartner(runtime, program, partnerId, input, programScopeOf(actor));
      return itemAnswer(partner, (changed) => partnerRow(program, changed));
    },
  }),
];

function partnerRow(program: ProgramAccount, partner: PartnerView) {
  return {
    id: partner.id,
    partner_program_id: partner.partnerProgramId,
    name: partner.name,
    email: partner.email,
    status: partner.status,
    ...figureFields(program.currency, partner.figures),
    links: partner.links.map((link) => linkRow(program, link)),
  };
}

/** @param currency the program's: its balance stands by itself too */
export function figureFields(currency: string, figures: PartnerFigures) {
  const own = figures.balances.find((balance) => balance.currency === currency);
  return {
    balance_cents: own?.balanceCents ?? 0,
    payable_cents: own?.payableCents ?? 0,
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
