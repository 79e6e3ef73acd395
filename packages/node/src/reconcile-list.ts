import { AffkitValidationError } from './errors.ts';

type MaybePromise<T> = T | Promise<T>;

/** Items, or pages of items. Pages are read one after the other, so only one is in memory. */
export type ItemsOrPages<T> =
  | Iterable<T>
  | AsyncIterable<T>
  | Iterable<readonly T[]>
  | AsyncIterable<readonly T[]>;

/** A page of a list that is read with a cursor. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** The cursor of the next page. Absent, `null` or empty on the last page. */
  readonly next?: string | null | undefined;
}

/**
 * A list: items, pages of items, or a function. The function may return either of these, or a {@link ListPage}.
 * It is called again with the cursor `next` until a page has no such cursor.
 */
export type Listing<T> =
  | ItemsOrPages<T>
  | ((since: Date, cursor: string | undefined) => MaybePromise<ItemsOrPages<T> | ListPage<T>>);

/**
 * Reads the items of a list, one page at a time.
 *
 * @throws AffkitValidationError if the list has none of the supported forms
 */
export async function* listItems<T extends string | object>(
  list: Listing<T>,
  since: Date,
): AsyncGenerator<T> {
  if (typeof list !== 'function') return yield* flatten(list);
  for (let cursor: string | undefined; ; ) {
    const result = await list(since, cursor);
    if (!isPage(result)) return yield* flatten(result);
    yield* result.items;
    const { next } = result;
    if (next === undefined || next === null || next === '') return;
    if (next === cursor) throw invalidList(`list returned the cursor ${next} twice`);
    cursor = next;
  }
}

async function* flatten<T>(items: ItemsOrPages<T>): AsyncGenerator<T> {
  if (!isIterable(items)) {
    throw invalidList('list must be an iterable of sales, ids or pages, or a function that returns one');
  }
  for await (const item of items) {
    if (isPageOfItems(item)) yield* item;
    else yield item;
  }
}

function isPage<T>(result: ItemsOrPages<T> | ListPage<T>): result is ListPage<T> {
  return typeof result === 'object' && result !== null && 'items' in result && Array.isArray(result.items);
}

/** A single id is iterable too, but not a list. */
function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  );
}

function isPageOfItems<T>(item: T | readonly T[]): item is readonly T[] {
  return Array.isArray(item);
}

function invalidList(message: string): AffkitValidationError {
  return new AffkitValidationError(message, { code: 'invalid_field' });
}
