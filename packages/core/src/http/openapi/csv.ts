import type { Descriptions, RouteDescription } from './description.ts';

const P = '/api/advertiser/affiliate-programs';
const FORMAT =
  "All rows of the list with the same filters, from one snapshot, streamed in the format of RFC 4180. To prevent formula injection, a text that starts with `=`, `+`, `-`, `@`, tab or CR is prefixed with `'`, and so is such a character after a `;`.";

function csv(id: string, tag: RouteDescription['tag'], rows: string, beginning: string): RouteDescription {
  return {
    id,
    tag,
    summary: `Export ${rows} as CSV`,
    description: FORMAT,
    replies: {
      200: {
        text: 'The file.',
        mediaType: 'text/csv',
        examples: { 'Its beginning': `${beginning}\r\n` },
      },
    },
  };
}

export const csvDescriptions: Descriptions = {
  [`GET ${P}/:id/partners.csv`]: csv('exportPartners', 'Partners', 'partners', 'id,partner_program_id,name'),
  [`GET ${P}/:id/links.csv`]: csv('exportLinks', 'Partners', 'links', 'id,short_link,status'),
  [`GET ${P}/:id/commissions.csv`]: csv(
    'exportCommissions',
    'Commissions',
    'commissions',
    'id,sale_id,transaction_id',
  ),
  [`GET ${P}/:id/payouts.csv`]: csv('exportPayouts', 'Payouts', 'payouts', 'id,partner_id,partner_name'),
  [`GET ${P}/:programId/events.csv`]: csv('exportEvents', 'Dashboard', 'events', 'id,event_type,timestamp'),
  'GET /api/advertiser/audit-log.csv': csv(
    'exportAuditLog',
    'Workspaces',
    'the audit log',
    'id,workspace_id,program_id',
  ),
  'GET /api/partner/commissions.csv': csv(
    'exportPartnerCommissions',
    'Partner',
    "the partner's commissions",
    'id,program_id,partner_id',
  ),
  'GET /api/partner/payouts.csv': csv(
    'exportPartnerPayouts',
    'Partner',
    "the partner's payouts",
    'id,program_id,partner_id',
  ),
};
