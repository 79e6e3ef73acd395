/** Sample bodies of successful replies to tracking calls. */
export const RECORDED = {
  sale: { success: true, sale_id: 1, commission_id: 2, message: 'Sale tracked' },
  refund: { success: true, status: 'reversed', deductionAmount: 2, commission_id: 2 },
  lead: { success: true, message: 'Lead tracked' },
} as const;

const DUPLICATE = 'Duplicate transaction_id. This sale has already been recorded.';

/** Returns the body of a 409 to a sale. */
export const duplicateSale = (code: string, more: object = {}) => ({
  error: DUPLICATE,
  message: DUPLICATE,
  statusCode: 409,
  code,
  request_id: 'req-0',
  ...more,
});

/** Replies that did not come from Affkit: status, body and content type. */
export const FOREIGN_REPLIES: readonly (readonly [status: number, body: string, contentType: string])[] = [
  [200, '<html>Please log in</html>', 'text/html'],
  [200, '', 'text/plain'],
  [200, '{}', 'application/json'],
  [200, '{"success":true}', 'application/json'],
  [200, '{"success":false,"message":"Not today"}', 'application/json'],
  [200, '{"success":true,"sale_id":"1","commission_id":2,"message":"ok"}', 'application/json'],
  [200, '{"success":tr', 'application/json'],
  [201, JSON.stringify(RECORDED.sale), 'application/json'],
  [202, '{"accepted":true}', 'application/json'],
  [204, '', 'text/plain'],
  [400, '<h1>400 Bad Request</h1>', 'text/html'],
  [400, '{"error":"Bad Request"}', 'application/json'],
  [400, '{"statusCode":400,"error":"Bad Request","message":"x","code":"bad_request"}', 'application/json'],
  [401, '<h1>401 Authorization Required</h1>', 'text/html'],
  [401, '{"message":"Unauthorized"}', 'application/json'],
  [403, 'Blocked', 'text/plain'],
  [404, 'default backend - 404', 'text/plain'],
  [409, '<h1>409 Conflict</h1>', 'text/html'],
  [409, '{"error":"Conflict"}', 'application/json'],
  [409, '{"error":"x","message":"x","statusCode":409,"code":"FST_ERR"}', 'application/json'],
  [413, '<h1>413 Request Entity Too Large</h1>', 'text/html'],
  [413, '{"error":"Payload Too Large","code":"FST_ERR_CTP_BODY_TOO_LARGE"}', 'application/json'],
];
