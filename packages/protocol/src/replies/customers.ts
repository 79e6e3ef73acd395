import { z } from 'zod';
import { createdAt, customerKey, id, rowId, time } from './envelope.ts';

/** A customer of a program: a visitor who came through a partner's link. */
export const customerRow = z.object({
  id,
  click_id: z.string().describe("Click id of the customer's click."),
  customer_status: z
    .enum(['click', 'lead', 'conversion'])
    .describe('The furthest stage that the customer has reached.'),
  customer_key: customerKey,
  customer_key_state: z
    .enum(['claimed', 'verified'])
    .nullable()
    .describe('Who set the key: a browser (`claimed`), or your server (`verified`).'),
  email: z.string().nullable().describe('Email address, masked.'),
  partner_id: rowId.nullable().describe('Id of the partner that the customer is attributed to.'),
  partner_name: z.string().nullable().describe('Display name of that partner.'),
  link_id: rowId.describe('Id of the link that the customer is attributed to.'),
  last_click_at: time.describe("Last click on a link of the customer's partner."),
  signup_date: time.nullable(),
  first_purchase_date: time.nullable(),
  created_at: createdAt,
});
