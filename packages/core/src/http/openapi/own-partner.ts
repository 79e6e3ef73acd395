import { listReply, ownLinkRow, ownPartnersReply } from '@affkit/protocol';
import { z } from 'zod';
import { type Descriptions, reply } from './description.ts';
import { link, page, partner, program, user } from './examples.ts';
import { pageFields } from './queries.ts';

const partnerField = {
  partner_id: z
    .int()
    .min(1)
    .optional()
    .describe('One of the partners that the user is; without it, all of them.'),
};

const { links: _links, email, name, id, ...standing } = partner;

export const ownPartnerDescriptions: Descriptions = {
  'GET /api/partner/me': {
    id: 'readOwnPartners',
    tag: 'Partner',
    summary: 'Where the signed-in partner stands',
    description: 'A user may be a partner in several workspaces, one in each.',
    query: z.object(partnerField),
    replies: {
      200: reply('The user, and each partner that it is with its programs.', ownPartnersReply, {
        'One program': {
          success: true,
          user: { ...user, email, name },
          partners: [
            {
              id,
              name,
              email,
              workspace_id: 1,
              workspace_name: 'Tea Shop',
              programs: [
                {
                  program_id: program.id,
                  name: program.name,
                  slug: program.slug,
                  site_url: program.site_url,
                  currency: program.currency,
                  cookie_window_days: program.cookie_window_days,
                  ...standing,
                  link_count: 1,
                },
              ],
            },
          ],
        },
      }),
    },
  },
  'GET /api/partner/links': {
    id: 'listOwnLinks',
    tag: 'Partner',
    summary: "List the partner's own links",
    query: z.object({ ...pageFields, ...partnerField }),
    replies: {
      200: reply('A page of links, newest first.', listReply(ownLinkRow), {
        One: { success: true, data: [{ ...link, program_id: program.id }], meta: page(1) },
      }),
    },
  },
};
