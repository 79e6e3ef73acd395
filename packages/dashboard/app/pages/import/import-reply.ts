/** The result for a row of the file. */
export type ImportRow = {
  /** The line of the file on which the row ends, starting at 1. */
  readonly line: number;
} & (
  | {
      readonly ok: true;
      readonly is_new: boolean;
      readonly partner_id?: number;
      readonly invite_token?: string;
    }
  | { readonly ok: false; readonly code: string; readonly error: string }
);

/** Reply of `POST …/partners/import`. */
export interface ImportReply {
  readonly data: readonly ImportRow[];
  readonly meta: {
    readonly dry_run: boolean;
    readonly created: number;
    readonly existing: number;
    readonly failed: number;
  };
}

/** Returns the text of a line of the file, to show it with a result. */
export function lineOf(csv: string, line: number): string {
  return csv.split(/\r\n|\n|\r/)[line - 1]?.trim() ?? '';
}

/** Returns a text with one line per invited partner: the partner's line of the file, and the invitation link. */
export function invitationLines(
  csv: string,
  rows: readonly ImportRow[],
  urlOf: (token: string) => string,
): string {
  return rows
    .flatMap((row) =>
      row.ok && row.invite_token !== undefined
        ? [`${lineOf(csv, row.line)}\t${urlOf(row.invite_token)}`]
        : [],
    )
    .join('\n');
}
