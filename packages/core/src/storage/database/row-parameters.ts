type ColumnType = 'bigint' | 'text';

/**
 * Passes rows as parameters of a Postgres statement.
 *
 * - `arrays` passes one array per column. The statement has the same text and plan for any number of rows.
 * Arrays are several times as fast as JSON.
 * - `values` passes one parameter per value. The text of the statement depends on the number of rows. For one
 * or two rows, this is faster, because unpacking arrays would take longer than the insert.
 */
export class RowParameters<Row extends object> {
  readonly #types: readonly (readonly [column: keyof Row & string, type: ColumnType])[];

  constructor(types: { readonly [Column in keyof Row & string]: ColumnType }) {
    this.#types = Object.entries(types) as [keyof Row & string, ColumnType][];
  }

  get columnCount(): number {
    return this.#types.length;
  }

  /** The types of the parameters of `arrays`. */
  get arrayTypes(): string[] {
    return this.#types.map(([, type]) => `${type}[]`);
  }

  /** Builds a FROM item for the parameters of `arrays`. @param first the number of the first parameter */
  fromArrays(name: string, first: number): string {
    const arrayParameters = this.#types.map(([, type], index) => `$${first + index}::${type}[]`);
    return `unnest(${arrayParameters.join(', ')}) AS ${this.#alias(name)}`;
  }

  /** Builds a FROM item for the parameters of `values`. @param first the number of the first parameter */
  fromValues(name: string, first: number, rowCount: number): string {
    const rows = Array.from({ length: rowCount }, (_, row) => {
      const valueParameters = this.#types.map(
        ([, type], index) => `$${first + row * this.columnCount + index}::${type}`,
      );
      return `(${valueParameters.join(', ')})`;
    });
    return `(VALUES ${rows.join(', ')}) AS ${this.#alias(name)}`;
  }

  /** Returns one parameter per column. Strings must not contain NUL or unpaired surrogates. */
  arrays(rows: readonly Row[]): string[] {
    return this.#types.map(([column]) => arrayText(rows.map((row) => row[column] ?? null)));
  }

  /** Returns one parameter per row and column. Strings must not contain NUL or unpaired surrogates. */
  values(rows: readonly Row[]): unknown[] {
    return rows.flatMap((row) => this.#types.map(([column]) => row[column] ?? null));
  }

  #alias(name: string): string {
    return `${name} (${this.#types.map(([column]) => `"${column}"`).join(', ')})`;
  }
}

/** Matches escapes that exist in JSON but not in Postgres arrays. */
const JSON_ONLY_ESCAPES = /\\[^"\\]/;
const ESCAPES = /\\(?:u([\da-f]{4})|(.))/g;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Encodes an array in the text format of Postgres. The format differs from JSON in the brackets and in the
 * escapes: a backslash only makes the next character literal.
 */
export function arrayText(values: readonly unknown[]): string {
  const json = JSON.stringify(values);
  const list = JSON_ONLY_ESCAPES.test(json)
    ? json.replace(ESCAPES, (pair, code: string | undefined, letter: string) =>
        code === undefined ? (CONTROLS[letter] ?? pair) : String.fromCharCode(Number.parseInt(code, 16)),
      )
    : json;
  return `{${list.slice(1, -1)}}`;
}
