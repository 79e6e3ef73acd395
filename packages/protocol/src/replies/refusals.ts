import { z } from 'zod';
import { id, time } from './envelope.ts';

/** A rejected tracking call. */
export const refusalRow = z.object({
  id,
  refused_at: time,
  route: z.enum(['click', 'lead', 'sale', 'refund']).describe('Which tracking route was called.'),
  status: z.int().describe('HTTP status of the reply.'),
  code: z.string().describe('Stable code of the reply.'),
  reason: z.string().describe('Error message of the reply.'),
  request_id: z.string().describe('Id of the request, as in the header `X-Request-Id`.'),
  has_token: z
    .boolean()
    .describe("Whether the call had the program's tracking token. Anyone can send a call without the token."),
  body: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe(
      'Known fields of the request. Long texts are cut, queries of URLs are removed, and email addresses and credentials are masked.',
    ),
});
