import { importPartnersReply } from '@affkit/protocol';
import { type Descriptions, reply } from './description.ts';

export const partnerImportDescriptions: Descriptions = {
  'POST /api/advertiser/affiliate-programs/:id/partners/import': {
    id: 'importPartners',
    tag: 'Partners',
    summary: 'Enroll partners from a CSV file',
    description:
      'The first line names the columns: `name` and `email`, and optionally `code` and `status`. The file is in UTF-8, has at most 500 rows and at most 256 KiB. The partner of each row is enrolled separately, as `POST …/partners` does. A repeated import returns the existing partners.',
    file: {
      mediaType: 'text/csv',
      examples: {
        'Two partners': 'name,email,code\r\nAnna,anna@blog.example,anna\r\nBen,ben@blog.example,\r\n',
      },
    },
    replies: {
      200: reply('The result for each row.', importPartnersReply, {
        'One of two rows imported': {
          success: true,
          data: [
            {
              line: 2,
              ok: true,
              is_new: true,
              partner_id: 1,
              invite_token: 'affi_EXAMPLE',
              invite_expires_at: '2026-02-07T12:00:00.000Z',
            },
            { line: 3, ok: false, code: 'invalid_field', error: 'email must be an email address' },
          ],
          meta: { dry_run: false, created: 1, existing: 0, failed: 1 },
        },
      }),
    },
    errors: ['invalid_field', 'body_too_large'],
  },
};
