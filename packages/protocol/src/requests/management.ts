import { z } from 'zod';
import {
  currencyCode,
  dateOrTime,
  idText,
  integer,
  isStorable,
  MAX_AMOUNT_CENTS,
  MAX_URL_LENGTH,
  nameText,
  rowId,
  visibleText,
  workspaceId,
} from '../fields.ts';
import { SCOPES } from '../scopes.ts';
import { strictFields } from '../strict-fields.ts';

/** An http or https URL without a user or password. */
export const httpUrl = (name: string) =>
  z
    .url({ protocol: /^https?$/, error: `${name} must be an http or https URL` })
    .max(MAX_URL_LENGTH, { error: `${name} must be at most ${MAX_URL_LENGTH} characters` })
    .refine(isStorable, { error: `${name} must not contain NUL or lone surrogates` })
    .refine((url) => !hasCredentials(url), { error: `${name} must not contain a user or password` });

function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

const RATE_MESSAGE = 'rate must be a number from 0 to 100';

/** A percentage with at most two decimals. `rate * 100` is the rate in basis points. */
const rate = z
  .number({ error: RATE_MESSAGE })
  .min(0, { error: RATE_MESSAGE })
  .max(100, { error: RATE_MESSAGE })
  .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-9, {
    error: 'rate must have at most two decimals',
  })
  .describe('Percentage of the sale, with at most two decimals.');

const flatAmount = integer('amount_cents', 0, MAX_AMOUNT_CENTS).describe(
  "Flat amount for each sale, in the smallest unit of the program's currency.",
);
const TERMS_TYPE_TEXT = 'Whether the commission is a percentage of the sale or a flat amount.';

/** An object with the terms of a commission and the additional `fields`. */
const termsOr = <Fields extends z.ZodRawShape>(error: string, fields: Fields) =>
  z.discriminatedUnion(
    'type',
    [
      strictFields({ type: z.literal('percent').describe(TERMS_TYPE_TEXT), rate, ...fields }),
      strictFields({
        type: z.literal('flat').describe(TERMS_TYPE_TEXT),
        amount_cents: flatAmount,
        ...fields,
      }),
    ],
    { error },
  );

/** The terms of a commission: a percentage of the sale, or a flat amount in the program's currency. */
export const commissionTerms = termsOr(
  'commission must be {type: "percent", rate} or {type: "flat", amount_cents}',
  {},
);

const TYPE_MESSAGE = 'type must be percent or flat';

const slug = z.string({ error: 'slug must be a string' }).regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, {
  error:
    'slug must consist of 1 to 64 lower-case letters, digits and hyphens, and must not begin or end with a hyphen',
});

/** The code of a link. It is unique in the whole service, regardless of case. */
export const linkCode = (name: string) =>
  z.string({ error: `${name} must be a string` }).regex(/^[A-Za-z0-9_-]{2,64}$/, {
    error: `${name} must consist of 2 to 64 of the characters A-Z a-z 0-9 _ -`,
  });

const allowedOrigin = z.union(
  [
    z.literal('*'),
    httpUrl('each of allowed_origins')
      .refine((url) => URL.canParse(url) && new URL(url).pathname === '/' && !new URL(url).search, {
        error: 'each of allowed_origins must be an origin such as https://shop.example',
      })
      // Origins are compared as a whole, so an entry such as `https://*.shop.example` would match none. The parsed host
      // is checked, because `%2A` in a host also means `*`.
      .refine((url) => URL.canParse(url) && !new URL(url).host.includes('*'), {
        error: 'each of allowed_origins must be an origin such as https://shop.example',
      })
      .transform((url) => new URL(url).origin),
  ],
  { error: 'each of allowed_origins must be an origin such as https://shop.example, or *' },
);

/** Whether a label of a domain is valid. An empty label is valid, because the domain may start with a dot. */
function isDomainLabel(label: string): boolean {
  return label.length <= 63 && !label.startsWith('-') && !label.endsWith('-');
}

const programSettings = {
  name: nameText('name').describe('Display name of the program.'),
  site_url: httpUrl('site_url')
    .transform((url) => new URL(url).href)
    .refine((url) => url.length <= MAX_URL_LENGTH, {
      error: `site_url must be at most ${MAX_URL_LENGTH} characters`,
    })
    .describe('URL of the shop, normalized as in browsers. Links lead there.'),
  slug: slug.describe('Name of the program in URLs. Defaults to a slug made of `name`.').optional(),
  cookie_window_days: integer('cookie_window_days', 1, 365)
    .describe('Number of days after a click during which a sale can earn a commission.')
    .optional(),
  attribution_model: z
    .enum(['last_click', 'first_click'], { error: 'attribution_model must be last_click or first_click' })
    .describe('Whether the last or the first click earns the commission.')
    .optional(),
  hold_days: integer('hold_days', 0, 365)
    .describe('How many days a commission is held for refunds before it can be paid out.')
    .optional(),
  currency: currencyCode.optional(),
  allowed_origins: z
    .array(allowedOrigin, { error: 'allowed_origins must be a list of origins' })
    .max(50, { error: 'allowed_origins must have at most 50 entries' })
    .transform((origins) => [...new Set(origins)])
    .describe('Origins whose pages may send events; `*` allows any. Defaults to the origin of `site_url`.')
    .optional(),
  cookie_domain: z
    .string({ error: 'cookie_domain must be a domain name' })
    .regex(/^\.?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/, { error: 'cookie_domain must be a domain name' })
    .refine((domain) => domain.split('.').every(isDomainLabel), {
      error: 'cookie_domain must be a domain name',
    })
    .max(253, { error: 'cookie_domain must be a domain name' })
    .transform((domain) => domain.replace(/^\./, '').toLowerCase())
    .nullable()
    .describe(
      'Domain of the click cookie. The service sets the cookie only if its own host is in this domain.',
    )
    .optional(),
  browser_leads: z
    .enum(['all', 'without_key', 'off'], { error: 'browser_leads must be all, without_key or off' })
    .describe('Which leads browsers may record: all leads, only leads without `customer_key`, or none.')
    .optional(),
  claimed_keys: z
    .enum(['review', 'pay'], { error: 'claimed_keys must be review or pay' })
    .describe(
      "How to treat the commission if only a browser has reported the customer's `customer_key`. `review`: held until you approve it or your server confirms the key. `pay`: treated like any other commission.",
    )
    .optional(),
  require_origin: z
    .boolean({ error: 'require_origin must be a boolean' })
    .describe('Whether clicks and browser leads without an `Origin` header are rejected.')
    .optional(),
  min_sale_cents: integer('min_sale_cents', 0, MAX_AMOUNT_CENTS)
    .describe(
      "Amount below which a sale earns no commission, in the smallest unit of the sale's currency. 0 means no minimum.",
    )
    .optional(),
  commission_base: z
    .enum(['total', 'net'], { error: 'commission_base must be total or net' })
    .describe(
      'The base of a percent commission: `total` is the amount of the sale, `net` is that amount without `tax_cents` and `shipping_cents`.',
    )
    .optional(),
};

/** Body of `POST /api/advertiser/affiliate-programs`. */
export const createProgramRequest = strictFields({
  ...programSettings,
  commission: commissionTerms.describe('Commission that partners earn by default.'),
  workspace_id: workspaceId,
});

/** Body of `PUT /api/advertiser/affiliate-programs/:id`. Missing settings do not change. */
export const updateProgramRequest = strictFields({
  ...programSettings,
  name: programSettings.name.optional(),
  site_url: programSettings.site_url.optional(),
});

/** An email address, which parsing converts to lower case. */
export const emailField = z
  .email({ error: 'email must be an email address' })
  .max(255, { error: 'email must be at most 255 characters' })
  .transform((address) => address.toLowerCase())
  .describe('Email address.');

const partnerName = nameText('name').describe('Display name of the partner.');

/** Body of `POST …/partners`. */
export const createPartnerRequest = strictFields({
  name: partnerName,
  email: emailField,
  code: linkCode('code').describe('`short_link` of the first link.').optional(),
  status: z
    .enum(['approved', 'pending'], { error: 'status must be approved or pending' })
    .describe('Status of the enrollment. Links of a pending partner record no clicks.')
    .optional(),
});

const MAX_REASON_LENGTH = 500;
const REASON_MESSAGE = `status_reason must be a string of 1 to ${MAX_REASON_LENGTH} characters`;
const reasonText = z
  .string({ error: REASON_MESSAGE })
  .trim()
  .min(1, { error: REASON_MESSAGE })
  .max(MAX_REASON_LENGTH, { error: REASON_MESSAGE })
  .refine(isStorable, { error: 'status_reason must not contain NUL or lone surrogates' });

/** Body of `PUT …/partners/:partnerId`. */
export const updatePartnerRequest = strictFields({
  name: partnerName.optional(),
  email: emailField.optional(),
  status: z
    .enum(['pending', 'approved', 'rejected', 'banned'], {
      error: 'status must be pending, approved, rejected or banned',
    })
    .describe('Status of the enrollment. Links record clicks only while the partner is approved.')
    .optional(),
  status_reason: reasonText
    .describe(
      'Reason for `status`. The partner can read the reason. A status without a reason removes the stored reason.',
    )
    .optional(),
  min_payout_cents: integer('min_payout_cents', 1, MAX_AMOUNT_CENTS)
    .nullable()
    .describe(
      "Minimum payout of this partner, in the smallest unit of the payout's currency. If null, the program's minimum applies.",
    )
    .optional(),
});

/** Body of `POST …/links`. */
export const createLinkRequest = strictFields({
  partner_id: rowId('partner_id').describe('Id of the partner.'),
  short_link: linkCode('short_link')
    .describe('Code in the link, unique in the whole service regardless of case.')
    .optional(),
});

/** Body of `PUT …/links/:linkId`. */
export const updateLinkRequest = strictFields({
  status: z
    .enum(['active', 'inactive'], { error: 'status must be active or inactive' })
    .describe('Whether the link records clicks.')
    .optional(),
});

const recurringMonths = integer('recurring_months', 0, 1200)
  .nullable()
  .describe(
    'Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns.',
  )
  .optional();

/** Body of `POST …/commission-policies`. */
export const createPolicyRequest = termsOr(TYPE_MESSAGE, {
  product_id: idText('product_id').describe('Your id of the product. Defaults to all products.').optional(),
  partner_id: rowId('partner_id').describe('Id of the partner. Defaults to all partners.').optional(),
  recurring_months: recurringMonths,
});

/**
 * Body of `PUT …/commission-policies/:policyId`. If `type` is set, its `rate` or `amount_cents` is required.
 */
export const updatePolicyRequest = strictFields({
  type: z.enum(['percent', 'flat'], { error: TYPE_MESSAGE }).describe(TERMS_TYPE_TEXT).optional(),
  rate: rate.optional(),
  amount_cents: flatAmount.optional(),
  recurring_months: recurringMonths,
});

/** The error message contains the value only if it is a string. Other values may have no useful text form. */
function unknownScope(input: unknown): string {
  return typeof input === 'string'
    ? `Unknown scope: ${visibleText(input, 64)}`
    : 'each of scopes must be the name of a scope';
}

const scopes = z
  .array(z.enum(['*', ...SCOPES], { error: ({ input }) => unknownScope(input) }), {
    error: 'scopes must be a list of scopes',
  })
  .min(1, { error: 'scopes must name at least one scope' })
  .describe('Actions that the key allows; `*` allows all.');

const programScope = z
  .array(
    z
      .union(
        [
          rowId('each of program_scope'),
          z.string().regex(/^\d{1,15}$/, { error: 'program_scope must be a list of program ids' }),
        ],
        {
          error: 'program_scope must be a list of program ids',
        },
      )
      .transform(String),
    { error: 'program_scope must be a list of program ids or null' },
  )
  .nullable()
  .describe('Ids of the programs that the key covers; null means all.');

const keyName = nameText('name').describe('Display name of the key.');

/** Body of `POST /api/advertiser/api-keys`. */
export const createApiKeyRequest = strictFields({
  name: keyName,
  scopes: scopes.optional(),
  program_scope: programScope.optional(),
  expires_at: dateOrTime('expires_at')
    .nullable()
    .describe(
      'When the key expires: a date (00:00 UTC) or instant (UTC unless it has a zone). Null means never.',
    )
    .optional(),
  workspace_id: workspaceId,
});

/** Body of `PUT /api/advertiser/api-keys/:id`. */
export const updateApiKeyRequest = strictFields({
  name: keyName.optional(),
  scopes: scopes.optional(),
  program_scope: programScope.optional(),
});

/** Body of `POST /api/advertiser/workspaces`. */
export const createWorkspaceRequest = strictFields({
  name: nameText('name').describe('Display name of the workspace.'),
});

/** Body of `PUT /api/advertiser/workspaces/:id`. */
export const updateWorkspaceRequest = strictFields({
  name: nameText('name').describe('New display name of the workspace.'),
});

const role = z
  .enum(['owner', 'admin', 'member', 'viewer'], { error: 'role must be owner, admin, member or viewer' })
  .describe('Role of the member, which decides what the member may do.');

const memberName = nameText('name').describe('Display name of the member.');

/** Body of `POST /api/advertiser/notifications/read-all`. */
export const readNotificationsRequest = strictFields({ workspace_id: workspaceId });

/** Body of `POST /api/partner/notifications/read-all`. */
export const readPortalNotificationsRequest = strictFields({
  partner_id: rowId('partner_id')
    .describe("Id of one of the user's partners. Defaults to all of them.")
    .optional(),
});

/** Body of `POST /api/advertiser/members`. The request invites the member. */
export const createMemberRequest = strictFields({
  email: emailField,
  name: memberName,
  role,
  password: z
    .unknown()
    .describe('Ignored. Users set their own password when they accept the invitation.')
    .optional(),
  workspace_id: workspaceId,
});

/** Body of `PUT /api/advertiser/members/:id`. */
export const updateMemberRequest = strictFields({
  email: emailField.optional(),
  name: memberName.optional(),
  role: role.optional(),
});

export type CommissionTerms = z.infer<typeof commissionTerms>;
export type CreateProgramRequest = z.input<typeof createProgramRequest>;
export type UpdateProgramRequest = z.input<typeof updateProgramRequest>;
export type CreatePartnerRequest = z.input<typeof createPartnerRequest>;
export type UpdatePartnerRequest = z.input<typeof updatePartnerRequest>;
export type CreateLinkRequest = z.input<typeof createLinkRequest>;
export type UpdateLinkRequest = z.input<typeof updateLinkRequest>;
export type CreatePolicyRequest = z.input<typeof createPolicyRequest>;
export type UpdatePolicyRequest = z.input<typeof updatePolicyRequest>;
export type CreateApiKeyRequest = z.input<typeof createApiKeyRequest>;
export type UpdateApiKeyRequest = z.input<typeof updateApiKeyRequest>;
export type CreateWorkspaceRequest = z.input<typeof createWorkspaceRequest>;
export type CreateMemberRequest = z.input<typeof createMemberRequest>;
export type UpdateMemberRequest = z.input<typeof updateMemberRequest>;
