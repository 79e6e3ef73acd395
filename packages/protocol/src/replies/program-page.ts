import { z } from 'zod';
import { QUESTION_TYPES } from '../requests/program-page.ts';
import { count, currency, time } from './envelope.ts';

const questionRow = z.object({
  id: z.string().describe('Key under which answers to this question are stored.'),
  label: z.string().describe('The question.'),
  type: z.enum(QUESTION_TYPES).describe('Type of the answer.'),
  required: z.boolean().describe('Whether an application must answer the question.'),
  options: z.array(z.string()).describe('The answers of a `choice`.').optional(),
});

const pageFields = {
  description: z.string().nullable().describe('Plain text about the program.'),
  terms: z.string().nullable().describe('Plain text of the terms, which applicants must accept.'),
  logo: z.string().nullable().describe('Image as a `data:` URL.'),
  accent_color: z.string().nullable().describe('Color of the page, as `#rrggbb`. Null: the default color.'),
  questions: z.array(questionRow).describe('Questions of the application form, in their order.'),
};

/** The settings of a program's page. */
export const programPageRow = z.object({
  published: z.boolean().describe('Whether everyone can read the page and apply.'),
  ...pageFields,
  embed_origins: z.array(z.string()).describe('Origins whose pages may show the page in an iframe.'),
  auto_approve_domains: z
    .array(z.string())
    .describe(
      'Applications with an email address of one of these domains are approved when the applicant confirms the address.',
    ),
  invitation_codes: z
    .array(z.string())
    .describe('Applications with one of these codes are approved at once.'),
});

/** The public description of a program and its default commission. */
export const publicProgramRow = z.object({
  name: z.string().describe('Display name of the program.'),
  slug: z.string().describe('Name of the program in URLs.'),
  site_url: z.url().describe('URL of the shop. Links lead there.'),
  currency,
  cookie_window_days: z
    .int()
    .min(1)
    .max(365)
    .describe('Number of days after a click during which a sale can earn a commission.'),
  hold_days: z
    .int()
    .min(0)
    .max(365)
    .describe('How many days a commission is held for refunds before it can be paid out.'),
  commission: z.object({
    type: z.enum(['percent', 'flat']).describe('Whether the commission is a percentage or a flat amount.'),
    rate: z.number().min(0).max(100).describe('Percentage of the sale.').optional(),
    amount_cents: count.describe('Flat amount, in the smallest unit of `currency`.').optional(),
    recurring_months: count
      .nullable()
      .describe(
        'Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns.',
      ),
    text: z.string().describe('The default commission in plain words.'),
  }),
  ...pageFields,
  takes_invitation_code: z.boolean().describe('Whether the program has invitation codes.'),
  captcha: z
    .object({
      service: z.enum(['turnstile', 'hcaptcha']).describe('Captcha service.'),
      site_key: z.string().describe('Public key for the captcha widget.'),
    })
    .nullable()
    .describe(
      'Captcha whose token an application must send as `captcha_token`. Null if the service requires none.',
    ),
  form_token: z
    .string()
    .describe('Token to send with an application. It is valid from 3 seconds to 24 hours after this reply.'),
});

/** Reply to a valid application. It is always the same, so that it does not reveal who has already applied. */
export const applicationReceipt = z.object({
  status: z.literal('received').describe('The applicant gets the decision by email.'),
});

/** The application of a partner, as shown to the advertiser. */
export const applicationRow = z.object({
  applied_at: time.describe('When the partner applied.'),
  answers: z
    .array(
      z.object({
        question: z.string().describe('`id` of the question.'),
        label: z.string().describe('Text of the question when the partner applied.'),
        type: z.enum(QUESTION_TYPES).describe('Type of the answer.'),
        answer: z.string().describe('The answer.'),
      }),
    )
    .describe('Answers of the applicant.'),
  invitation_code: z.string().nullable().describe('Code that the applicant entered.'),
  approved_by: z
    .enum(['email_domain', 'invitation_code'])
    .nullable()
    .describe('The rule that approved the application.'),
  email_confirmed_at: time
    .nullable()
    .describe('When the applicant confirmed the email address. Null until then.'),
});
