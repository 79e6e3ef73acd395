import { CommandError } from '../../command-result.ts';
import type { Field, FileKind, FileTable } from '../vendors/vendor.ts';

/** Which columns of a file contain which fields. */
export interface ColumnMap {
  /** The field of each column, or null if the column is ignored. */
  readonly fields: readonly (Field | null)[];
  /** For each field, the positions of the columns that contain it. The preferred column comes first. */
  readonly positions: ReadonlyMap<Field, readonly number[]>;
}

/** The required fields of each kind of file. A file must have at least one field of each group. */
const REQUIRED: Readonly<Record<FileKind, readonly (readonly Field[])[]>> = {
  partners: [['email']],
  links: [['code'], ['partner_id', 'partner_email']],
  customers: [
    ['id', 'key', 'email'],
    ['partner_id', 'partner_email', 'partner_code'],
  ],
  commissions: [
    ['id'],
    ['amount'],
    ['status'],
    ['earned_at'],
    ['partner_id', 'partner_email', 'partner_code', 'customer_id', 'key', 'customer_email'],
  ],
  payouts: [['id'], ['amount'], ['status']],
};

/**
 * Finds the fields of a file by the names of its columns.
 * @throws CommandError when a required column is missing
 */
export function mapColumns(
  file: string,
  kind: FileKind,
  { columns }: FileTable,
  header: readonly string[],
): ColumnMap {
  const names = header.map(toColumnName);
  const positions = new Map<Field, number[]>();
  for (const field of Object.keys(columns) as Field[]) {
    const found = (columns[field] ?? []).flatMap((pattern) => findColumns(names, pattern));
    if (found.length > 0) positions.set(field, found);
  }
  const missing = REQUIRED[kind].filter((group) => !group.some((field) => positions.has(field)));
  if (missing.length > 0) {
    const needed = missing.map((group) => group.flatMap((field) => columns[field] ?? []).join(' or '));
    throw new CommandError(
      `${file} needs these columns: ${needed.join('; ')}. It has: ${header.join(', ') || 'none'}`,
    );
  }
  const fields = header.map(
    (_, position) => [...positions].find(([, found]) => found.includes(position))?.[0] ?? null,
  );
  return { fields, positions };
}

/** `Partner email`, `partnerEmail`, and `partner.email` all become `partner_email`. */
function toColumnName(header: string): string {
  return header
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '');
}

function findColumns(names: readonly string[], pattern: string): number[] {
  const isExpected = (name: string) =>
    pattern.includes('#') ? name.replaceAll(/\d+/g, '#') === pattern : name === pattern;
  return names.flatMap((name, position) => (isExpected(name) ? [position] : []));
}
