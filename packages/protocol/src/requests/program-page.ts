import { z } from 'zod';
import { freeText, idText, isStorable, MAX_ID_LENGTH, nameText } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';
import { emailField, httpUrl } from './management.ts';

const MAX_QUESTIONS = 20;
const MAX_OPTIONS = 20;
const MAX_LIST = 100;
const MAX_DESCRIPTION_LENGTH = 5_000;
const MAX_TERMS_LENGTH = 20_000;
/** The maximum length of a logo: 30 KiB in base64, plus the prefix of the data URL. */
const MAX_LOGO_LENGTH = 41_000;

/** Plain text, which may have several lines, or null. */
const longText = (name: string, max: number) => {
  const error = `${name} must be a string of at most ${max} characters, or null`;
  return z
    .string({ error })
    .max(max, { error })
    .refine(isStorable, { error: `${name} must not contain NUL or lone surrogates` })
    .nullable()
    .optional();
};

/** The types of questions in an application form. Every answer is a text. */
export const QUESTION_TYPES = ['text', 'long_text', 'url', 'number', 'choice', 'checkbox'] as const;

const QUESTION_TYPE_TEXT =
  'Type of the answer. `text`: one line. `long_text`: several lines. `url`: an http or https URL. `number`: a decimal number. `choice`: one of `options`. `checkbox`: `yes` if the box is ticked.';

const question = strictFields({
  id: z
    .string({ error: 'id of each question must be a string' })
    .regex(/^[a-z][a-z0-9_]{0,31}$/, {
      error:
        'id of each question must be 1 to 32 lower-case letters, digits and underscores, and begin with a letter',
    })
    .describe('The key under which answers to this question are stored. Unique within the program.'),
  label: nameText('label of each question').describe('The question.'),
  type: z
    .enum(QUESTION_TYPES, { error: `type of each question must be one of ${QUESTION_TYPES.join(', ')}` })
    .describe(QUESTION_TYPE_TEXT),
  required: z
    .boolean({ error: 'required of each question must be a boolean' })
    .describe('Whether an application must answer the question.')
    .default(false),
  options: z
    .array(nameText('each of options'), { error: 'options of a question must be a list of texts' })
    .min(1, { error: 'options of a question must have at least one entry' })
    .max(MAX_OPTIONS, { error: `options of a question must have at most ${MAX_OPTIONS} entries` })
    .describe('The answers of a `choice`. Only for that type.')
    .optional(),
})
  .refine(({ type, options }) => (type === 'choice') === (options !== undefined), {
    error: 'options are required for a question of type choice, and not allowed for other types',
  })
  .refine(({ options = [] }) => new Set(options).size === options.length, {
    error: 'options must not contain the same answer twice',
  });

/** The first bytes of each image type, in base64. */
const LOGO_BASE64_STARTS = { png: 'iVBORw0KGgo', jpeg: '/9j/', webp: 'UklGR' } as const;
const LOGO_MESSAGE = `logo must be a data URL of a PNG, JPEG or WebP image in base64, of at most ${MAX_LOGO_LENGTH} characters, or null`;

/**
 * Whether the text is a data URL of an image. The base64 text is not decoded. A regular expression checks only its
 * characters, which is fast even for a long text.
 */
function isLogo(text: string): boolean {
  const kind = (Object.keys(LOGO_BASE64_STARTS) as (keyof typeof LOGO_BASE64_STARTS)[]).find((name) =>
    text.startsWith(`data:image/${name};base64,${LOGO_BASE64_STARTS[name]}`),
  );
  return kind !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(text.indexOf(',') + 1));
}

/**
 * Matches a host, with or without a port, that means the same host in a content security policy. The URL parser accepts
 * other characters too, for example `;`, which would end the directive.
 */
const POLICY_HOST = /^[\w.:[\]*-]+$/;

function isPolicyOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { pathname, search, host } = new URL(text);
  return pathname === '/' && search === '' && POLICY_HOST.test(host);
}

const embedOrigin = httpUrl('each of embed_origins')
  .refine(isPolicyOrigin, { error: 'each of embed_origins must be an origin such as https://shop.example' })
  .transform((url) => new URL(url).origin);

const DOMAIN_MESSAGE = 'each of auto_approve_domains must be a domain such as agency.example';
const emailDomain = z
  .string({ error: DOMAIN_MESSAGE })
  .max(253, { error: DOMAIN_MESSAGE })
  .regex(/^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/, { error: DOMAIN_MESSAGE })
  .transform((domain) => domain.toLowerCase());

const CODE_MESSAGE = 'each of invitation_codes must consist of 4 to 64 of the characters A-Z a-z 0-9 _ -';
const invitationCode = z
  .string({ error: CODE_MESSAGE })
  .regex(/^[A-Za-z0-9_-]{4,64}$/, { error: CODE_MESSAGE });

/** A list from which repeated entries are removed. */
const uniqueList = <Item extends z.ZodType<string>>(name: string, item: Item) =>
  z
    .array(item, { error: `${name} must be a list` })
    .max(MAX_LIST, { error: `${name} must have at most ${MAX_LIST} entries` })
    .transform((entries) => [...new Set(entries)])
    .optional();

/** Body of `PUT …/page`. Missing settings do not change. */
export const updateProgramPageRequest = strictFields({
  published: z
    .boolean({ error: 'published must be a boolean' })
    .describe('Whether everyone can read the page and apply.')
    .optional(),
  description: longText('description', MAX_DESCRIPTION_LENGTH).describe(
    'Plain text about the program. Null removes it.',
  ),
  terms: longText('terms', MAX_TERMS_LENGTH).describe(
    'Plain text of the terms, which applicants must accept. Null removes them.',
  ),
  logo: z
    .string({ error: LOGO_MESSAGE })
    .max(MAX_LOGO_LENGTH, { error: LOGO_MESSAGE })
    .refine(isLogo, { error: LOGO_MESSAGE })
    .nullable()
    .describe('Image as a `data:` URL: PNG, JPEG or WebP in base64, at most 30 KiB. Null removes it.')
    .optional(),
  accent_color: z
    .string({ error: 'accent_color must be a color such as #0a7d4f, or null' })
    .regex(/^#[0-9A-Fa-f]{6}$/, { error: 'accent_color must be a color such as #0a7d4f, or null' })
    .transform((color) => color.toLowerCase())
    .nullable()
    .describe('Color of the page, as `#rrggbb`. Null selects the default color.')
    .optional(),
  questions: z
    .array(question, { error: 'questions must be a list of questions' })
    .max(MAX_QUESTIONS, { error: `questions must have at most ${MAX_QUESTIONS} entries` })
    .refine((questions) => new Set(questions.map(({ id }) => id)).size === questions.length, {
      error: 'questions must have different ids',
    })
    .describe('Questions of the application form, in their order.')
    .optional(),
  embed_origins: uniqueList('embed_origins', embedOrigin).describe(
    'Origins whose pages may show the program page in an iframe.',
  ),
  auto_approve_domains: uniqueList('auto_approve_domains', emailDomain).describe(
    'Applications with an email address of one of these domains are approved when the applicant confirms the address. Subdomains do not count.',
  ),
  invitation_codes: uniqueList('invitation_codes', invitationCode).describe(
    'Applications with one of these codes are approved at once.',
  ),
});

/** Body of `POST /api/v1/programs/:slug/applications`. */
export const applicationRequest = strictFields({
  name: nameText('name').describe('Name of the applicant.'),
  email: emailField,
  answers: z
    .array(
      strictFields({
        question: idText('question of each answer').describe('`id` of the question.'),
        answer: freeText('answer').describe('The answer, as text.'),
      }),
      { error: 'answers must be a list of {question, answer}' },
    )
    .max(MAX_QUESTIONS, { error: `answers must have at most ${MAX_QUESTIONS} entries` })
    .describe('Answers to the questions of the program.')
    .optional(),
  invitation_code: idText('invitation_code').describe('Code with which the program invited you.').optional(),
  terms_accepted: z
    .boolean({ error: 'terms_accepted must be a boolean' })
    .describe('Whether the applicant accepts the terms. Must be true if the program has terms.')
    .optional(),
  form_token: z
    .string({ error: 'form_token is required' })
    .max(MAX_ID_LENGTH, { error: `form_token must be at most ${MAX_ID_LENGTH} characters` })
    .describe('`form_token` of the program. It is accepted from 3 seconds to 24 hours after it was issued.'),
  homepage: z
    .string({ error: 'homepage must be a string' })
    .max(2_000, { error: 'homepage must be at most 2000 characters' })
    .describe('Leave it empty. People do not see this field; an application that fills it in is dropped.')
    .optional(),
  captcha_token: z
    .string({ error: 'captcha_token must be a string' })
    .max(8_192, { error: 'captcha_token must be at most 8192 characters' })
    .refine(isStorable, { error: 'captcha_token must not contain NUL or lone surrogates' })
    .describe(
      'Token of the solved captcha. Required if the `captcha` of the program is not null. If the app that embeds the service has its own captcha check, this check receives the token.',
    )
    .optional(),
});

export type UpdateProgramPageRequest = z.input<typeof updateProgramPageRequest>;
export type ApplicationRequest = z.input<typeof applicationRequest>;
