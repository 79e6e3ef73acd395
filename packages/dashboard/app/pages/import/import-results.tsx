import type { JSX } from 'preact';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Badge } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type ImportRow, lineOf } from './import-reply.ts';

/** The result of each row, those with errors first. */
export function ImportResults({ csv, rows }: { csv: string; rows: readonly ImportRow[] }): JSX.Element {
  const { page } = useProgram();
  const columns: readonly Column<ImportRow & { readonly id: number }>[] = [
    { title: 'Row', cell: ({ line }) => lineOf(csv, line) },
    { title: 'Line', align: 'end', cell: ({ line }) => line },
    {
      title: 'Result',
      cell: (row) => {
        if (!row.ok) return <Badge tone="bad">Error</Badge>;
        return row.is_new ? <Badge tone="good">New</Badge> : <Badge>Already there</Badge>;
      },
    },
    {
      title: 'Details',
      cell: (row) => {
        if (!row.ok) return row.error;
        if (row.partner_id === undefined) return <span class="quiet">–</span>;
        return <Link to={`${page}/partners/${row.partner_id}`}>Open the partner</Link>;
      },
    },
  ];
  const sorted = rows
    .map((row) => ({ ...row, id: row.line }))
    .sort((a, b) => Number(a.ok) - Number(b.ok) || a.line - b.line);
  return <Table label="Rows of the file" columns={columns} rows={sorted} empty="The file has no rows." />;
}
