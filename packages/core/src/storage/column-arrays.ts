type ColumnType = 'bigint' | 'text';

/**
 * Rows as parameters of a Postgres statement, which has one text and one plan however many they are: an array for each
 * column. Both sides read and write these in a fraction of the time of JSON.
 */
export class ColumnArrays<Row extends object> {
  readonly #types: readonly (readonly [column: keyof Row & string, type: ColumnType])[];

  constructor(types: { readonly [Column in keyof Row & string]: ColumnType }) {
    this.#types = Object.entries(types) as [keyof Row & string, ColumnType][];
  }

  /** How many parameters there are. */
  get count(): number {
    return this.#types.length;
  }

  /** The rows, to be selected from. @param first number of the first parameter */
  as(name: string, first: number): string {
    const arrays = this.#types.map(([, type], index) => `$${first + index}::${type}[]`);
    const columns = this.#types.map(([column]) => `"${column}"`);
    return `unnest(${arrays.join(', ')}) AS ${name} (${columns.join(', ')})`;
  }

  /** The parameters. Texts must hold no NUL, and no half of a surrogate pair. */
  values(rows: readonly Row[]): string[] {
    return this.#types.map(([column]) => arrayText(rows.map((row) => row[column] ?? null)));
  }
}

/** What JSON writes otherwise than Postgres. */
const OTHER_ESCAPES = /\\[^"\\]/;
const ESCAPES = /\\(?:u([\da-f]{4})|(.))/g;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * An array as Postgres reads it: as JSON in other brackets, but that a backslash there only stands before a character
 * that means itself.
 */
export function arrayText(values: readonly unknown[]): string {
  const json = JSON.stringify(values);
  const list = OTHER_ESCAPES.test(json)
    ? json.replace(ESCAPES, (pair, code: string | undefined, letter: string) =>
        code === undefined ? (CONTROLS[letter] ?? pair) : String.fromCharCode(Number.parseInt(code, 16)),
      )
    : json;
  return `{${list.slice(1, -1)}}`;
}
