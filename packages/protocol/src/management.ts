import { z } from 'zod';
import {
  currencyCode,
  idText,
  isStorable,
  MAX_AMOUNT_CENTS,
  MAX_URL_LENGTH,
  moment,
  nameText,
  rowId,
  visibleText,
  wholeNumber,
} from './fields.ts';
import { SCOPES } from './scopes.ts';

const httpUrl = (name: string) =>
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

/** Percent with two decimals, as basis points after parsing is `rate * 100`. */
const rate = z
  .number({ error: RATE_MESSAGE })
  .min(0, { error: RATE_MESSAGE })
  .max(100, { error: RATE_MESSAGE })
  .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-9, {
    error: 'rate must have at most two decimals',
  });

const flatAmount = wholeNumber('amount_cents', 0, MAX_AMOUNT_CENTS);

const termsOr = (error: string) =>
  z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('percent'), rate }),
      z.object({ type: z.literal('flat'), amount_cents: flatAmount }),
    ],
    { error },
  );

/** What a partner earns: a percentage of the sale, or a flat amount in the program's currency. */
export const commissionTerms = termsOr(
  'commission must be {type: "percent", rate} or {type: "flat", amount_cents}',
);

const TYPE_MESSAGE = 'type must be percent or flat';

const slug = z.string({ error: 'slug must be a string' }).regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, {
  error: 'slug must be 1 to 64 lower-case letters, digits and inner hyphens',
});

/** A link's code: `[A-Za-z0-9_-]{2,64}`, unique in the whole service, compared case-sensitively. */
const linkCode = (name: string) =>
  z
    .string({ error: `${name} must be a string` })
    .regex(/^[A-Za-z0-9_-]{2,64}$/, { error: `${name} must be 2 to 64 of A-Z a-z 0-9 _ -` });

const allowedOrigin = z.union(
  [
    z.literal('*'),
    httpUrl('each of allowed_origins')
      .refine((url) => URL.canParse(url) && new URL(url).pathname === '/' && !new URL(url).search, {
        error: 'each of allowed_origins must be an origin such as https://shop.example',
      })
      .transform((url) => new URL(url).origin),
  ],
  { error: 'each of allowed_origins must be an origin such as https://shop.example, or *' },
);

const programSettings = {
  name: nameText('name'),
  site_url: httpUrl('site_url'),
  slug: slug.optional(),
  cookie_window_days: wholeNumber('cookie_window_days', 1, 365).optional(),
  attribution_model: z
    .enum(['last_click', 'first_click'], { error: 'attribution_model must be last_click or first_click' })
    .optional(),
  hold_days: wholeNumber('hold_days', 0, 365).optional(),
  currency: currencyCode.optional(),
  allowed_origins: z
    .array(allowedOrigin, { error: 'allowed_origins must be a list of origins' })
    .max(50, { error: 'allowed_origins must have at most 50 entries' })
    .transform((origins) => [...new Set(origins)])
    .optional(),
  cookie_domain: z
    .string({ error: 'cookie_domain must be a domain name' })
    .regex(/^\.?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i, {
      error: 'cookie_domain must be a domain name',
    })
    .max(253, { error: 'cookie_domain must be a domain name' })
    .transform((domain) => domain.replace(/^\./, '').toLowerCase())
    .nullable()
    .optional(),
  browser_leads: z
    .enum(['all', 'without_key', 'off'], { error: 'browser_leads must be all, without_key or off' })
    .optional(),
};

const workspaceId = rowId('workspace_id').optional();

/** Body of `POST /api/advertiser/affiliate-programs`. */
export const createProgramRequest = z.object({
  ...programSettings,
  commission: commissionTerms,
  workspace_id: workspaceId,
});

/** Body of `PUT /api/advertiser/affiliate-programs/:id`: any of the settings. */
export const updateProgramRequest = z.object({
  ...programSettings,
  name: programSettings.name.optional(),
  site_url: programSettings.site_url.optional(),
});

const email = z
  .email({ error: 'email must be an e-mail address' })
  .max(255, { error: 'email must be at most 255 characters' })
  .transform((address) => address.toLowerCase());

/** Body of `POST …/partners`: makes or reuses the workspace's partner of that e-mail and enrolls it. */
export const createPartnerRequest = z.object({
  name: nameText('name'),
  email,
  code: linkCode('code').optional(),
  status: z.enum(['approved', 'pending'], { error: 'status must be approved or pending' }).optional(),
});

/** Body of `PUT …/partners/:partnerId`. */
export const updatePartnerRequest = z.object({
  name: nameText('name').optional(),
  email: email.optional(),
  status: z
    .enum(['pending', 'approved', 'rejected', 'banned'], {
      error: 'status must be pending, approved, rejected or banned',
    })
    .optional(),
});

/** Body of `POST …/links`. */
export const createLinkRequest = z.object({
  partner_id: rowId('partner_id'),
  short_link: linkCode('short_link').optional(),
});

/** Body of `PUT …/links/:linkId`. */
export const updateLinkRequest = z.object({
  status: z.enum(['active', 'inactive'], { error: 'status must be active or inactive' }).optional(),
});

const recurringMonths = wholeNumber('recurring_months', 0, 1200).nullable().optional();

/** Body of `POST …/commission-policies`. `recurring_months`: null = for ever, 0 = first payment only. */
export const createPolicyRequest = z
  .object({
    product_id: idText('product_id').optional(),
    partner_id: rowId('partner_id').optional(),
    recurring_months: recurringMonths,
  })
  .and(termsOr(TYPE_MESSAGE));

/** Body of `PUT …/commission-policies/:policyId`: any of its terms. Another `type` needs its `rate` or `amount_cents`. */
export const updatePolicyRequest = z.object({
  type: z.enum(['percent', 'flat'], { error: TYPE_MESSAGE }).optional(),
  rate: rate.optional(),
  amount_cents: flatAmount.optional(),
  recurring_months: recurringMonths,
});

/** What is no text is not repeated: it may have no text form. */
function unknownScope(input: unknown): string {
  return typeof input === 'string'
    ? `Unknown scope: ${visibleText(input, 64)}`
    : 'each of scopes must be the name of a scope';
}

const scopes = z
  .array(z.enum(['*', ...SCOPES], { error: ({ input }) => unknownScope(input) }), {
    error: 'scopes must be a list of scopes',
  })
  .min(1, { error: 'scopes must name at least one scope' });

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
  .nullable();

/** Body of `POST /api/advertiser/api-keys`. */
export const createApiKeyRequest = z.object({
  name: nameText('name'),
  scopes: scopes.optional(),
  program_scope: programScope.optional(),
  expires_at: moment('expires_at')
    .nullable()
    .describe('When it ends: without a zone in UTC, of a date its 00:00 UTC; null is never.')
    .optional(),
  workspace_id: workspaceId,
});

/** Body of `PUT /api/advertiser/api-keys/:id`. */
export const updateApiKeyRequest = z.object({
  name: nameText('name').optional(),
  scopes: scopes.optional(),
  program_scope: programScope.optional(),
});

/** Body of `POST /api/advertiser/workspaces`. */
export const createWorkspaceRequest = z.object({ name: nameText('name') });

const role = z.enum(['owner', 'admin', 'member', 'viewer'], {
  error: 'role must be owner, admin, member or viewer',
});

/** A password that is set; a present one may be of any length. */
const newPassword = (name: string) => {
  const error = `${name} must be a text of 8 to 1024 characters`;
  return z
    .string({ error })
    .min(8, { error })
    .max(1024, { error })
    .refine((text) => text.isWellFormed(), { error: `${name} must not contain lone surrogates` });
};

/** Body of `POST /api/advertiser/members`. Without `password` the e-mail is invited. */
export const createMemberRequest = z.object({
  email,
  name: nameText('name'),
  role,
  password: newPassword('password').optional(),
  workspace_id: workspaceId,
});

/** Body of `PUT /api/advertiser/members/:id`. */
export const updateMemberRequest = z.object({
  email: email.optional(),
  name: nameText('name').optional(),
  role: role.optional(),
});

/** Body of `POST /api/auth/accept-invite`. `password` is for an e-mail that has no user yet. */
export const acceptInviteRequest = z.object({
  token: idText('token', 'token is required'),
  password: newPassword('password').optional(),
});

/** Body of `POST /api/auth/login`. */
export const loginRequest = z.object({
  email: z
    .string({ error: 'email is required' })
    .min(1, { error: 'email is required' })
    .max(320, { error: 'email must be at most 320 characters' })
    .refine(isStorable, { error: 'email must not contain NUL or lone surrogates' }),
  password: z
    .string({ error: 'password is required' })
    .min(1, { error: 'password is required' })
    .max(1024, { error: 'password must be at most 1024 characters' }),
});

/** Body of `POST /api/auth/password`. */
export const changePasswordRequest = z.object({
  password: loginRequest.shape.password,
  new_password: newPassword('new_password'),
});

const webhookSecret = idText('webhook_secret', 'webhook_secret must be a text of 1 to 255 characters').regex(
  /^\S+$/,
  { error: 'webhook_secret must not contain spaces or line breaks' },
);

const switchField = (name: string) => z.boolean({ error: `${name} must be a boolean` }).optional();

const connectionSwitches = {
  charges_enabled: switchField('charges_enabled'),
  payouts_enabled: switchField('payouts_enabled'),
  details_submitted: switchField('details_submitted'),
};

/** Body of `POST /api/advertiser/processor-connections`. */
export const createProcessorConnectionRequest = z.object({
  processor: z.literal('stripe', { error: 'processor must be stripe' }),
  account_id: idText('account_id'),
  webhook_secret: webhookSecret,
  ...connectionSwitches,
  workspace_id: workspaceId,
});

/** Body of `PUT /api/advertiser/processor-connections/:id`. A new secret leaves the one before in force for a day. */
export const updateProcessorConnectionRequest = z.object({
  account_id: idText('account_id').optional(),
  webhook_secret: webhookSecret.optional(),
  ...connectionSwitches,
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
export type CreateProcessorConnectionRequest = z.input<typeof createProcessorConnectionRequest>;
export type UpdateProcessorConnectionRequest = z.input<typeof updateProcessorConnectionRequest>;
export type CreateWorkspaceRequest = z.input<typeof createWorkspaceRequest>;
export type LoginRequest = z.input<typeof loginRequest>;
export type CreateMemberRequest = z.input<typeof createMemberRequest>;
export type UpdateMemberRequest = z.input<typeof updateMemberRequest>;
export type AcceptInviteRequest = z.input<typeof acceptInviteRequest>;
export type ChangePasswordRequest = z.input<typeof changePasswordRequest>;
