import type { Field } from '../vendors/vendor.ts';
import type { ColumnMap } from './map-columns.ts';
import { type AmountRules, parseAmount } from './parse-amount.ts';
import { parseTime } from './parse-time.ts';

/** Thrown when a row cannot be imported. The message says why. */
export class RowError extends Error {
  override readonly name: string = 'RowError';
}

/** Thrown when a row is of a kind that is not imported. */
export class RowIgnored extends Error {
  override readonly name: string = 'RowIgnored';
}

const REPLACEMENT_CHARACTER = '\ufffd';
const MAX_ID_LENGTH = 200;
/** Exports put an apostrophe before text that a spreadsheet could run as a formula. */
const GUARDED_FORMULA = /^'(?=[=+\-@])/;

/** The cells of a row by field. */
export class Row {
  readonly #cells: readonly string[];
  readonly #columns: ColumnMap;
  readonly #now: number;

  constructor(cells: readonly string[], columns: ColumnMap, now: number) {
    if (cells.some((cell) => cell.includes(REPLACEMENT_CHARACTER))) {
      throw new RowError('The row is not in UTF-8');
    }
    this.#cells = cells;
    this.#columns = columns;
    this.#now = now;
  }

  /** The first non-empty cell of the field, or null. */
  text(field: Field): string | null {
    return this.texts(field)[0] ?? null;
  }

  /** All non-empty cells of the field. */
  texts(field: Field): string[] {
    const positions = this.#columns.positions.get(field) ?? [];
    return positions.flatMap((position) => {
      const cell = (this.#cells[position] ?? '').replace(GUARDED_FORMULA, '');
      return cell === '' ? [] : [cell];
    });
  }

  /** @throws RowError when the cell is not an id that can be stored */
  id(field: Field): string | null {
    const text = this.text(field);
    if (text === null) return null;
    if (text.length > MAX_ID_LENGTH || !text.isWellFormed() || /\p{Cc}/u.test(text)) {
      throw new RowError(`${field} must have at most ${MAX_ID_LENGTH} characters, and no control characters`);
    }
    return text;
  }

  /** @throws RowError when the cell is empty */
  required(field: Field): string {
    const text = this.id(field);
    if (text === null) throw new RowError(`${field} is empty`);
    return text;
  }

  /** @throws RowError when the cell is not a time */
  time(field: Field): number | null {
    const text = this.text(field);
    if (text === null) return null;
    const at = parseTime(text, this.#now);
    if (at === null) {
      throw new RowError(
        `${field} must be an ISO 8601 time that is not in the future, got ${JSON.stringify(text)}`,
      );
    }
    return at;
  }

  /** Reads a time that may be in the future, such as the time when a pending commission becomes payable. */
  futureTime(field: Field): number | null {
    const text = this.text(field);
    if (text === null) return null;
    const at = parseTime(text, Number.MAX_SAFE_INTEGER);
    if (at === null) throw new RowError(`${field} must be an ISO 8601 time, got ${JSON.stringify(text)}`);
    return at;
  }

  /** @throws UnreadableAmountError when the cell is not an amount */
  amount(field: Field, rules: AmountRules): number | null {
    const text = this.text(field);
    return text === null ? null : parseAmount(text, rules);
  }
}
