import type { Fields } from './call-input.ts';

/** Maximum number of rows that the server accepts in a bulk request. */
const MAX_ROWS = 100;

/**
 * Sends a bulk request. If there are more rows than the server accepts, sends several requests, one after the
 * other. Each request gets its own idempotency key, derived from the key of the call. A repeated call with
 * the same key and rows therefore returns the results of the first call.
 *
 * @param name the name of the field that contains the rows
 * @returns one reply, with the results of all rows in their order
 */
export async function callBulk(
  name: 'ids' | 'items',
  body: Fields,
  request: (part: Fields) => Promise<Fields>,
): Promise<Fields> {
  const rows: unknown = body[name];
  const key = body['idempotency_key'] || globalThis.crypto.randomUUID();
  // An empty list is valid: the caller's filter may have matched no row.
  if (Array.isArray(rows) && rows.length === 0) return readBulkReply([]);
  // If `rows` is not an array, send it unchanged: the server replies with an error that explains what is wrong.
  if (!Array.isArray(rows) || rows.length <= MAX_ROWS) return request({ ...body, idempotency_key: key });
  const data: unknown[] = [];
  for (let start = 0; start < rows.length; start += MAX_ROWS) {
    const reply = await request({
      ...body,
      [name]: rows.slice(start, start + MAX_ROWS),
      idempotency_key: `${String(key)}:${start / MAX_ROWS + 1}`,
    });
    data.push(...(reply['data'] as unknown[]));
  }
  return readBulkReply(data);
}

function readBulkReply(data: readonly unknown[]): Fields {
  const succeeded = data.filter((row) => (row as { readonly ok: unknown }).ok === true).length;
  return { success: true, data, meta: { succeeded, failed: data.length - succeeded } };
}
