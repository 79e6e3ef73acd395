import { type Descriptions, joinParagraphs, type RouteDescription } from './description.ts';

const DESCRIBED_PROGRAMS_PATH = '/api/advertiser/affiliate-programs';
const CSV_FORMAT_TEXT =
  "Streams all rows of the list with the same filters, from one snapshot, in the format of RFC 4180. To prevent formula injection, a text that starts with `=`, `+`, `-`, `@`, tab or CR gets the prefix `'`. Such a character also gets the prefix if it follows a `;` or a line break.";

function describeCsv(
  id: string,
  tag: RouteDescription['tag'],
  rows: string,
  beginning: string,
): RouteDescription {
  return {
    id,
    tag,
    summary: `Export ${rows} as CSV`,
    description: CSV_FORMAT_TEXT,
    replies: {
      200: {
        text: 'The file.',
        mediaType: 'text/csv',
        examples: { 'Its beginning': `${beginning}\r\n` },
      },
    },
  };
}

export const exportDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PROGRAMS_PATH}/:id/partners.csv`]: describeCsv(
    'exportPartners',
    'Partners',
    'partners',
    'id,partner_program_id,name',
  ),
  [`GET ${DESCRIBED_PROGRAMS_PATH}/:id/links.csv`]: describeCsv(
    'exportLinks',
    'Partners',
    'links',
    'id,short_link,status',
  ),
  [`GET ${DESCRIBED_PROGRAMS_PATH}/:id/commissions.csv`]: describeCsv(
    'exportCommissions',
    'Commissions',
    'commissions',
    'id,sale_id,transaction_id',
  ),
  [`GET ${DESCRIBED_PROGRAMS_PATH}/:id/payouts.csv`]: describeCsv(
    'exportPayouts',
    'Payouts',
    'payouts',
    'id,partner_id,partner_name',
  ),
  [`GET ${DESCRIBED_PROGRAMS_PATH}/:programId/events.csv`]: describeCsv(
    'exportEvents',
    'Dashboard',
    'events',
    'id,event_type,timestamp',
  ),
  'GET /api/advertiser/audit-log.csv': describeCsv(
    'exportAuditLog',
    'Workspaces',
    'the audit log',
    'id,workspace_id,program_id',
  ),
  'GET /api/partner/commissions.csv': describeCsv(
    'exportPartnerCommissions',
    'Partner',
    "the partner's commissions",
    'id,program_id,partner_id',
  ),
  'GET /api/partner/export': {
    id: 'exportPartnerData',
    tag: 'Partner',
    summary: 'Export everything that the service keeps about the partner',
    description: joinParagraphs(
      'Streams an NDJSON file from one snapshot, with a line `{record, data}` for each row. `record` is `user`, `session`, `partner`, `enrollment`, `application`, `payout_details`, `link`, `commission`, `payout`, `notification`, `membership`, `identity`, `email`, `email_opt_out`, or `change`. `data` has the same fields as in the lists. A `change` is an entry of the audit log about a change by the user, or about a change to a partner of the user. It does not name other people.',
      'In the last line, `record` is `end`, and `data.records` is the number of lines before it. If this line is missing, the file is incomplete.',
    ),
    replies: {
      200: {
        text: 'The file.',
        mediaType: 'application/x-ndjson',
        examples: {
          'Its beginning': '{"record":"user","data":{"id":7,"email":"ana@example.com","name":"Ana Silva"}}\n',
        },
      },
    },
  },
  'GET /api/partner/links.csv': {
    ...describeCsv('exportPartnerLinks', 'Partner', "the partner's links", 'id,program_id,short_link'),
    errors: ['not_found'],
  },
  'GET /api/partner/links/:linkId/sub-ids.csv': {
    ...describeCsv('exportPartnerSubIds', 'Partner', "a link's sub-ids", 'sub_id,clicks,leads'),
    errors: ['not_found'],
  },
  'GET /api/partner/payouts.csv': describeCsv(
    'exportPartnerPayouts',
    'Partner',
    "the partner's payouts",
    'id,program_id,partner_id',
  ),
};
