import type { ComponentChildren, JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/ui.tsx';
import type { Pagination } from '../api/types.ts';
import { Button, CheckField, Select } from './controls.tsx';
import { Icon } from './icons.tsx';
import { Empty, ErrorNotice, Skeleton } from './state.tsx';
import { useQueryState } from './use-query-state.ts';

export interface Column<Row> {
  /** Empty for the column with the actions of a row. */
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Set `end` for numbers and amounts. */
  readonly align?: 'end';
  /**
   * `fit` never wraps. `medium` and `wide` have a minimum width for text. On a narrow screen, `wide` takes the full
   * width of a card, and `main` is beside the title of the card, without its own title.
   */
  readonly size?: 'fit' | 'main' | 'medium' | 'wide';
  /** Whether a card shows the value without the title, because the value explains itself. */
  readonly isUntitled?: boolean;
  /** The value of the API query parameter `sort` for this column. */
  readonly sort?: string;
  /**
   * The sort order after the first click on the title. For numbers and dates, the highest value should come
   * first.
   */
  readonly firstOrder?: Order;
}

type Order = 'asc' | 'desc';

interface Selection {
  readonly ids: ReadonlySet<number>;
  readonly onChange: (ids: ReadonlySet<number>) => void;
}

export interface TableProps<Row extends { readonly id: number }> {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  /** Whether the rows belong to the previous filters or page, because the rows for the new ones are still loading. */
  readonly isStale?: boolean;
  readonly error?: Error | null;
  readonly onRetry?: () => void;
  readonly pagination?: Pagination | undefined;
  readonly empty: ComponentChildren;
  readonly selection?: Selection;
  /** Returns a unique key for a row. Needed if the ids of rows are not unique. */
  readonly keyOf?: (row: Row) => string;
  /** The number of placeholder rows while loading. */
  readonly loadingRows?: number;
}

/**
 * A table. On a narrow screen, it becomes a list of cards, and the first column becomes the title of a card.
 */
export function Table<Row extends { readonly id: number }>(props: TableProps<Row>): JSX.Element {
  const {
    label,
    columns,
    rows,
    isStale,
    error,
    onRetry,
    pagination,
    empty,
    selection,
    keyOf,
    loadingRows = 8,
  } = props;
  const notice = error && <ErrorNotice error={error} {...(onRetry && { onRetry })} />;
  if (notice && !rows?.length) return notice;
  if (rows?.length === 0)
    return <div class="card flush">{typeof empty === 'string' ? <Empty>{empty}</Empty> : empty}</div>;
  const selectAll = selection && (
    <CheckField
      label={messages.selectAll}
      checked={rows?.every(({ id }) => selection.ids.has(id)) ?? false}
      onChange={(checked) => selection.onChange(new Set(checked ? rows?.map(({ id }) => id) : []))}
    />
  );
  const head = { columns, selectAll };
  return (
    <div class="card flush">
      {notice}
      <NarrowHead {...head} />
      <table class="table" aria-label={label} aria-busy={isStale || rows === undefined}>
        <Head {...head} />
        <tbody>
          {rows === undefined
            ? Array.from({ length: loadingRows }, (_, index) => (
                <LoadingRow key={index} columns={columns} isSelectable={selection !== undefined} />
              ))
            : rows.map((row) => (
                <tr key={keyOf?.(row) ?? row.id} class={selection?.ids.has(row.id) ? 'selected' : undefined}>
                  {selection && <SelectCell id={row.id} selection={selection} />}
                  {columns.map((column, index) => (
                    <Cell key={column.title} column={column} index={index}>
                      {column.cell(row)}
                    </Cell>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
      {rows && pagination && <Pages pagination={pagination} />}
    </div>
  );
}

function Cell<Row>({
  column,
  index,
  children,
}: {
  column: Column<Row>;
  index: number;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <td class={classOf(column, index)} data-label={column.isUntitled ? '' : column.title}>
      {children}
    </td>
  );
}

function classOf<Row>({ align, title, size }: Column<Row>, index: number): string | undefined {
  if (index === 0) return 'lead';
  return (title === '' ? ['end', 'actions'] : [align, size]).filter(Boolean).join(' ') || undefined;
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  /** A field that selects all rows, if rows can be selected. */
  readonly selectAll: JSX.Element | undefined;
}

function Head<Row>({ columns, selectAll }: HeadProps<Row>): JSX.Element {
  const [query, change] = useQueryState();
  return (
    <thead>
      <tr>
        {selectAll && <th class="narrow">{selectAll}</th>}
        {columns.map(({ title, align, sort, firstOrder = 'desc' }) => {
          const isSorted = sort !== undefined && query['sort'] === sort;
          const isAscending = query['order'] === 'asc';
          const state = isSorted ? (isAscending ? 'ascending' : 'descending') : undefined;
          const order = isSorted ? (isAscending ? 'desc' : 'asc') : firstOrder;
          const sortBy = () => change({ sort: sort ?? '', order });
          return (
            <th key={title} class={align} scope="col" aria-sort={state}>
              {sort === undefined ? (
                title || <span class="hidden">{common.actions}</span>
              ) : (
                <button type="button" class={isSorted ? 'sorted' : undefined} onClick={sortBy}>
                  {title}
                  <span class="sort-mark">
                    <Icon name={isSorted ? (isAscending ? 'up' : 'down') : 'sort'} size={14} />
                  </span>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** The sort order and the selection of all rows on a narrow screen, where column titles are not shown. */
function NarrowHead<Row>({ columns, selectAll }: HeadProps<Row>): JSX.Element | null {
  const [{ sort = '', order = 'desc' }, change] = useQueryState();
  const choices = columns.flatMap((column) =>
    column.sort === undefined
      ? []
      : [
          { value: `${column.sort}:desc`, text: messages.descending(column.title) },
          { value: `${column.sort}:asc`, text: messages.ascending(column.title) },
        ],
  );
  if (!choices[0] && !selectAll) return null;
  return (
    <div class="narrow-head">
      {selectAll}
      {choices[0] && (
        <Select
          label={messages.sortBy}
          value={sort === '' ? '' : `${sort}:${order}`}
          choices={[{ value: '', text: messages.sortDefault }, ...choices]}
          onChange={(value) => {
            const [by = '', direction = ''] = value.split(':');
            change({ sort: by, order: direction });
          }}
        />
      )}
    </div>
  );
}

function SelectCell({ id, selection }: { id: number; selection: Selection }): JSX.Element {
  const toggle = (checked: boolean) => {
    const ids = new Set(selection.ids);
    if (checked) ids.add(id);
    else ids.delete(id);
    selection.onChange(ids);
  };
  return (
    <td class="narrow" data-label="">
      <CheckField
        label={<span class="hidden">{messages.selectRow}</span>}
        checked={selection.ids.has(id)}
        onChange={toggle}
      />
    </td>
  );
}

function LoadingRow<Row>({
  columns,
  isSelectable,
}: {
  columns: readonly Column<Row>[];
  isSelectable: boolean;
}): JSX.Element {
  return (
    <tr>
      {isSelectable && <td class="narrow" data-label="" />}
      {columns.map((column, index) => (
        <Cell key={column.title} column={column} index={index}>
          <Skeleton width={index === 0 ? '70%' : '64px'} />
        </Cell>
      ))}
    </tr>
  );
}

/** The position in a list, and buttons for the previous and the next page. */
export function Pages({
  pagination: { page, pageSize, pageCount, total },
}: {
  pagination: Pagination;
}): JSX.Element {
  const [, change] = useQueryState();
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  return (
    <nav class="table-end" aria-label={messages.pages}>
      <span>
        {first < last ? messages.rowsOfTotal(first, last, total) : messages.rowOfTotal(last, total)}
      </span>
      {pageCount > 1 && (
        <span class="row">
          <Button
            icon="left"
            label={messages.previousPage}
            disabled={page <= 1}
            onClick={() => change({ page: page > 2 ? String(page - 1) : '' })}
          />
          <Button
            icon="right"
            label={messages.nextPage}
            disabled={page >= pageCount}
            onClick={() => change({ page: String(page + 1) })}
          />
        </span>
      )}
    </nav>
  );
}
