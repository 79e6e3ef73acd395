import { expect, test } from 'vitest';
import { rejectionOf } from '../../test/client.ts';
import { makeManagement, pageOf } from '../../test/management-client.ts';
import type { TransportRequest } from '../transport.ts';

interface Row {
  readonly id: number;
}

/** Serves pages of two rows from a list that changes. */
function serve(rows: () => readonly Row[]): (request: TransportRequest) => Response {
  return ({ url }) => {
    const page = Number(new URL(url).searchParams.get('page'));
    const all = rows();
    const data = all.slice((page - 1) * 2, page * 2);
    return Response.json(
      pageOf(data, { page, pageSize: 2, pageCount: Math.ceil(all.length / 2), total: all.length }),
    );
  };
}

const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

test('an iteration skips no rows, even if some rows no longer match the filter after they were read', async () => {
  let rows = rowsOf(7);
  const { client } = makeManagement([serve(() => rows)]);
  const seen: number[] = [];
  for await (const { id } of client.commissions.list({ status: 'pending' })) {
    seen.push(id);
    rows = rows.filter((row) => row.id !== id);
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('rows that are added during an iteration do not make other rows appear twice', async () => {
  let rows = rowsOf(6);
  const { client } = makeManagement([serve(() => rows)]);
  const pages: number[][] = [];
  for await (const { data } of client.commissions.list().pages()) {
    pages.push(data.map(({ id }) => id));
    if (pages.length === 1) rows = [{ id: 100 }, ...rows];
  }
  expect(pages).toEqual([[1, 2], [3], [4, 5], [6]]);
});

test('toArray reads all pages, and page reads a single page', async () => {
  const { client, requests } = makeManagement([serve(() => rowsOf(5))]);
  expect(await client.links.list().toArray()).toHaveLength(5);
  expect(requests).toHaveLength(3);
  expect(await client.links.list({ page: 3 }).toArray()).toEqual([{ id: 5 }]);
  expect(await client.links.list().page(2)).toEqual({
    data: [{ id: 3 }, { id: 4 }],
    page: 2,
    pageSize: 2,
    pageCount: 3,
    total: 5,
    isCapped: false,
  });
});

test('an abort makes an iteration throw, even in the middle of a page', async () => {
  const controller = new AbortController();
  const { client, requests } = makeManagement([serve(() => rowsOf(5))]);
  const seen: number[] = [];
  const iterate = async () => {
    for await (const { id } of client.links.list({}, { signal: controller.signal })) {
      seen.push(id);
      controller.abort(new Error('enough'));
    }
  };
  expect(await rejectionOf(iterate())).toMatchObject({
    name: 'AffkitAbortError',
    cause: { message: 'enough' },
  });
  expect([seen, requests.length]).toEqual([[1], 1]);
});

test('an iteration logs a warning if the server does not list every matching row', async () => {
  const rows = [
    { id: 1, event_type: 'click' },
    { id: 1, event_type: 'lead' },
  ];
  const { client, warnings } = makeManagement([Response.json(pageOf(rows, { total_capped: true }))]);
  expect(await client.events.list().toArray()).toEqual(rows);
  expect(warnings).toEqual([
    'events.list lists only 2 of the matching rows. Set filters, or export the list as CSV',
  ]);
});
