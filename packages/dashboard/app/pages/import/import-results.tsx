import type { JSX } from 'preact';
import * as messages from '#messages/import.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Badge } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type ImportRow, lineOf } from './import-reply.ts';

/** The result of each row, with errors first. */
export function ImportResults({ csv, rows }: { csv: string; rows: readonly ImportRow[] }): JSX.Element {
  const { page } = useProgram();
  const columns: readonly Column<ImportRow & { readonly id: number }>[] = [
    { title: messages.row, cell: ({ line }) => lineOf(csv, line) },
    { title: messages.line, align: 'end', cell: ({ line }) => line },
    {
      title: messages.result,
      cell: (row) => {
        if (!row.ok) return <Badge tone="bad">{messages.error}</Badge>;
        return row.is_new ? <Badge tone="good">{messages.isNew}</Badge> : <Badge>{messages.isThere}</Badge>;
      },
    },
    {
      title: messages.details,
      cell: (row) => {
        if (!row.ok) return row.error;
        if (row.partner_id === undefined) return <span class="quiet">–</span>;
        return <Link to={`${page}/partners/${row.partner_id}`}>{messages.openPartner}</Link>;
      },
    },
  ];
  const sorted = rows
    .map((row) => ({ ...row, id: row.line }))
    .sort((a, b) => Number(a.ok) - Number(b.ok) || a.line - b.line);
  return <Table label={messages.rows} columns={columns} rows={sorted} empty={messages.noRows} />;
}
