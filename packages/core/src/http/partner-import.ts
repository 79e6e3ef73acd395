import { createPartnerRequest, importPartnersQuery, PARTNER_IMPORT_COLUMNS } from '@affkit/protocol';
import { programScopeOf } from '../access/permission.ts';
import { lowerAscii } from '../domain/lower-ascii.ts';
import { importPartners } from '../management/import-partners.ts';
import type { NewPartner } from '../management/partners.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { readCsvFile } from './csv-file.ts';
import { inviteReplyFields } from './invites.ts';
import { parse } from './parse.ts';
import { type Route, route } from './route.ts';

const MAX_IMPORT_BYTES = 256 * 1024;
const MAX_IMPORT_ROWS = 500;
const REQUIRED_IMPORT_COLUMNS = ['name', 'email'];

/** A row of the file, with the number of the last line that it occupies. */
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
    maxBodyBytes: MAX_IMPORT_BYTES,
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
  const file = readCsvFile(bytes, { maxRows: MAX_IMPORT_ROWS, readHeader, isRagged: false });
  if (isRejection(file)) return file;
  const firstLines = new Map<string, number>();
  return file.rows.map(({ cells, line }) => {
    const filled = Object.entries(cells).filter(([, text]) => text !== '');
    const partner = parse(createPartnerRequest, Object.fromEntries(filled));
    return { line, partner: isRejection(partner) ? partner : rejectRepeat(partner, line, firstLines) };
  });
}

function readHeader(cells: readonly string[]): string[] | Rejection {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = names.find((name) => !PARTNER_IMPORT_COLUMNS.includes(name));
  const missing = REQUIRED_IMPORT_COLUMNS.filter((name) => !names.includes(name));
  if (unknown === undefined && missing.length === 0 && new Set(names).size === names.length) {
    return names;
  }
  const columns = PARTNER_IMPORT_COLUMNS.join(', ');
  return invalidImport(
    `The first line must contain only the columns ${columns}, each at most once. ${REQUIRED_IMPORT_COLUMNS.join(' and ')} are required.`,
  );
}

/**
 * Rejects a row whose email or code is also in an earlier row. Otherwise, the fields of the later row would be
 * ignored, and even a dry run would report success.
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
