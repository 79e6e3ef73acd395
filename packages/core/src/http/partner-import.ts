import { createPartnerRequest, importPartnersQuery, PARTNER_IMPORT_COLUMNS } from '@affkit/protocol';
import { CsvError, parse as parseCsv } from 'csv-parse/sync';
import { programScopeOf } from '../access/permission.ts';
import { lowerAscii } from '../domain/lower-ascii.ts';
import { importPartners } from '../management/import-partners.ts';
import type { NewPartner } from '../management/partners.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { inviteReplyFields } from './invites.ts';
import { parse } from './parse.ts';
import { type Route, route } from './route.ts';

const MAX_IMPORT_BYTES = 256 * 1024;
const MAX_IMPORT_ROWS = 500;
const REQUIRED_IMPORT_COLUMNS = ['name', 'email'];
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A row of the file, with the number of its last line. */
interface ImportRow {
  readonly line: number;
  readonly partner: NewPartner | Rejection;
}

export const partnerImportRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/advertiser/affiliate-programs/:id/partners/import',
    access: { kind: 'management', scope: 'partner:create', program: true },
    query: importPartnersQuery,
    readsBytes: true,
    handle: async (runtime, { caller: { actor, program }, query, readBytes }) => {
      const rows = readImportRows(await readBytes(MAX_IMPORT_BYTES));
      if (isRejection(rows)) return rows;
      const isDryRun = query.dry_run === '1';
      const partners = rows.flatMap(({ partner }) => (isRejection(partner) ? [] : [partner]));
      const options = { isDryRun, programScope: programScopeOf(actor) };
      const imported = (await importPartners(runtime, program, partners, options)).values();
      const data = rows.map(({ line, partner }) => {
        const result = isRejection(partner) ? partner : imported.next().value;
        if (result === undefined) throw new Error(`Line ${line} of the import has no result`);
        if (isRejection(result)) return { line, ok: false, code: result.code, error: result.message };
        const { id, isNew, invite } = result;
        const stored = isDryRun ? {} : { partner_id: id, ...inviteReplyFields(invite) };
        return { line, ok: true, is_new: isNew, ...stored };
      });
      const countOf = (isNew: boolean) =>
        data.filter((row) => 'is_new' in row && row.is_new === isNew).length;
      const [created, existing] = [countOf(true), countOf(false)];
      const meta = { dry_run: isDryRun, created, existing, failed: data.length - created - existing };
      return { body: { success: true, data, meta } };
    },
  }),
];

function readImportRows(bytes: Uint8Array | 'too_large'): ImportRow[] | Rejection {
  if (bytes === 'too_large') return new Rejection('body_too_large');
  let records: { record: Record<string, string>; info: { lines: number } }[];
  try {
    // The parser counts a CRLF inside quotes as two lines.
    records = parseCsv(UTF8.decode(bytes).replaceAll('\r\n', '\n'), {
      bom: true,
      columns: checkHeader,
      info: true,
      skip_empty_lines: true,
      trim: true,
      to: MAX_IMPORT_ROWS + 1,
    });
  } catch (error) {
    return rejectFile(error);
  }
  if (records.length === 0) return invalidImport('The file must have a header and at least one row');
  if (records.length > MAX_IMPORT_ROWS)
    return invalidImport(`The file must have at most ${MAX_IMPORT_ROWS} rows`);
  const firstLines = new Map<string, number>();
  return records.map(({ record, info: { lines: line } }) => {
    const cells = Object.entries(record).filter(([, text]) => text !== '');
    const partner = parse(createPartnerRequest, Object.fromEntries(cells));
    return { line, partner: isRejection(partner) ? partner : rejectRepeat(partner, line, firstLines) };
  });
}

class HeaderError extends Error {}

function checkHeader(header: readonly string[]): string[] {
  const unknown = header.find((name) => !PARTNER_IMPORT_COLUMNS.includes(name));
  const missing = REQUIRED_IMPORT_COLUMNS.filter((name) => !header.includes(name));
  if (unknown === undefined && missing.length === 0 && new Set(header).size === header.length) {
    return [...header];
  }
  throw new HeaderError();
}

function rejectFile(error: unknown): Rejection {
  if (error instanceof HeaderError) {
    const columns = PARTNER_IMPORT_COLUMNS.join(', ');
    return invalidImport(
      `The first line must name columns of ${columns}, each once; ${REQUIRED_IMPORT_COLUMNS.join(' and ')} are required`,
    );
  }
  if (error instanceof CsvError) {
    // The rest of the parser's message contains text of the file.
    const [reason = ''] = error.message.split(':');
    return invalidImport(`The body is not valid CSV: ${reason} on line ${String(error['lines'])}`);
  }
  if (error instanceof TypeError) return invalidImport('The body must be a CSV file in UTF-8');
  throw error;
}

/**
 * Rejects a row whose partner is in an earlier row too. Its fields would be ignored, and a dry run would not
 * report this.
 */
function rejectRepeat(
  partner: NewPartner,
  line: number,
  firstLines: Map<string, number>,
): NewPartner | Rejection {
  for (const name of ['email', 'code'] as const) {
    if (partner[name] === undefined) continue;
    const value = `${name} ${lowerAscii(partner[name])}`;
    const firstLine = firstLines.get(value);
    if (firstLine !== undefined) return invalidImport(`${name} is also on line ${firstLine}`);
    firstLines.set(value, line);
  }
  return partner;
}

function invalidImport(message: string): Rejection {
  return new Rejection('invalid_field', message);
}
