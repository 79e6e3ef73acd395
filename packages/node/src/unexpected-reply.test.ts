import { describe, expect, test } from 'vitest';
import { makeClient, rejectionOf, SALE } from '../test/client.ts';
import { answer, type Reply } from '../test/msw-server.ts';
import { FOREIGN_REPLIES, RECORDED } from '../test/replies.ts';

describe('a reply that did not come from Affkit', () => {
  test.each(FOREIGN_REPLIES)('%i %j is retried', async (status, body, contentType) => {
    const foreign: Reply = [status, status === 204 ? null : body, { 'content-type': contentType }];
    const { requests } = answer(foreign, foreign, [200, RECORDED.sale]);
    const { affkit, delays } = makeClient();
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 1, attempts: 3 });
    expect([requests.length, delays]).toEqual([3, [250, 500]]);
  });

  test.each(['sale', 'refund', 'lead'] as const)(
    'to a %s makes the call throw after the last retry',
    async (operation) => {
      answer([200, '<html>Please log in</html>', { 'content-type': 'text/html', 'x-should-retry': 'false' }]);
      const { affkit } = makeClient();
      const calls = {
        sale: () => affkit.sale(SALE),
        refund: () => affkit.refund({ transaction_id: 'order-1' }),
        lead: () => affkit.lead({ click_id: 'clk_1' }),
      };
      expect(await rejectionOf(calls[operation]())).toMatchObject({
        name: 'AffkitUnexpectedReplyError',
        code: 'unexpected_reply',
        status: 200,
        attempts: 4,
        retryable: true,
        message: `The ${operation} got a reply that did not come from Affkit: status 200, content type text/html, the body "<html>Please log in</html>". Check baseUrl and the proxies in between. The server may or may not have recorded it. You can safely send it again`,
      });
    },
  );
});
