import {
  applicationReceipt,
  type ErrorCode,
  itemReply,
  programPageRow,
  publicProgramRow,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, joinParagraphs, type ReplyDescription, reply } from './description.ts';

const DESCRIBED_PAGE_PATH = '/api/advertiser/affiliate-programs/:id/page';
const EXAMPLE_FORM_TOKEN = '1769860800000.EXAMPLE';

const examplePage: z.output<typeof programPageRow> = {
  published: true,
  description: 'Tell your readers about our tea.',
  terms: 'No ads on search engines with our name.',
  logo: null,
  accent_color: '#0a7d4f',
  questions: [
    { id: 'blog', label: 'Where will you write about us?', type: 'url', required: true },
    {
      id: 'visits',
      label: 'How many visitors do you have?',
      type: 'choice',
      required: false,
      options: ['Up to 1,000', 'More'],
    },
  ],
  embed_origins: ['https://shop.example'],
  auto_approve_domains: ['agency.example'],
  invitation_codes: ['SPRING-2026'],
};

const examplePublicProgram: z.output<typeof publicProgramRow> = {
  name: 'Tea Shop',
  slug: 'tea-shop',
  site_url: 'https://shop.example/',
  currency: 'USD',
  cookie_window_days: 60,
  hold_days: 30,
  commission: {
    type: 'percent',
    rate: 20,
    recurring_months: 12,
    text: 'You earn 20% of each sale. Renewals of a subscription earn a commission for 12 months.',
  },
  description: examplePage.description,
  terms: examplePage.terms,
  logo: examplePage.logo,
  accent_color: examplePage.accent_color,
  questions: examplePage.questions,
  takes_invitation_code: true,
  captcha: null,
  form_token: EXAMPLE_FORM_TOKEN,
};

const APPLICATION_ERRORS: readonly ErrorCode[] = [
  'program_not_found',
  'form_token_invalid',
  'form_too_early',
  'application_not_verified',
];

export const PAGE_REPLY: ReplyDescription = {
  text: 'The page.',
  mediaType: 'text/html',
  examples: { 'Its beginning': '<!doctype html>' },
};

export const programPageDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PAGE_PATH}`]: {
    id: 'readProgramPage',
    tag: 'Programs',
    summary: 'Get the public page of a program',
    description: 'A program whose page was never changed has an empty page that is not published.',
    replies: {
      200: reply('The settings of the page.', itemReply(programPageRow), {
        'A published page': { success: true, data: examplePage },
      }),
    },
  },
  [`PUT ${DESCRIBED_PAGE_PATH}`]: {
    id: 'updateProgramPage',
    tag: 'Programs',
    summary: 'Change the public page of a program',
    description:
      'Settings that are not in the request do not change. A list replaces the previous list. Earlier applications keep the questions that they answered.',
    body: body('ProgramPageChange', {
      Publish: { published: true, description: examplePage.description },
      'A question': { questions: [examplePage.questions[0]] },
    }),
    replies: {
      200: reply('The settings of the page.', itemReply(programPageRow), {
        Changed: { success: true, data: examplePage },
      }),
    },
  },
  'GET /api/v1/programs/:slug': {
    id: 'readPublicProgram',
    tag: 'Marketplace',
    summary: 'Get a program that accepts applications',
    description: 'Only programs with a published page can be read.',
    replies: {
      200: reply('The program and its application form.', itemReply(publicProgramRow), {
        One: { success: true, data: examplePublicProgram },
      }),
    },
    errors: ['program_not_found'],
  },
  'POST /api/v1/programs/:slug/applications': {
    id: 'applyForProgram',
    tag: 'Marketplace',
    summary: 'Apply as a partner',
    description: joinParagraphs(
      'Creates a pending enrollment, or an approved one if the invitation code is valid. If the domain of the email address is in `auto_approve_domains`, the service sends a link that confirms the address. The application is approved when the applicant confirms the address. If the service sends no email, the advertiser decides about the application instead.',
      'If the email address is already enrolled, nothing changes, but the reply is the same. Each IP network may send 10 applications in 15 minutes.',
    ),
    body: body('ApplicationRequest', {
      'With an answer': {
        name: 'Anna',
        email: 'anna@blog.example',
        answers: [{ question: 'blog', answer: 'https://blog.example' }],
        terms_accepted: true,
        form_token: EXAMPLE_FORM_TOKEN,
      },
    }),
    replies: {
      200: reply('The application was received.', itemReply(applicationReceipt), {
        Received: { success: true, data: { status: 'received' } },
      }),
    },
    errors: APPLICATION_ERRORS,
  },
  'GET /p/:slug': {
    id: 'showProgramPage',
    tag: 'Marketplace',
    summary: 'Show the page of a program',
    description:
      'A web page with the program and its application form. It has no scripts unless the service has a captcha. `?code=` fills in an invitation code. Only pages of `embed_origins` may show it in an iframe. Browsers get errors as a web page instead of JSON.',
    replies: { 200: PAGE_REPLY },
    errors: ['program_not_found'],
  },
  'POST /p/:slug': {
    id: 'sendApplicationForm',
    tag: 'Marketplace',
    summary: 'Apply with the form of the page',
    description:
      'The form has the same fields as an application in JSON. The answer to a question is in the field `answer.` followed by the id of the question. Browsers get errors as a page with the form.',
    file: {
      mediaType: 'application/x-www-form-urlencoded',
      examples: {
        'With an answer': `name=Anna&email=anna%40blog.example&answer.blog=https%3A%2F%2Fblog.example&terms_accepted=yes&form_token=${EXAMPLE_FORM_TOKEN}`,
      },
    },
    replies: { 200: PAGE_REPLY },
    errors: ['invalid_field', ...APPLICATION_ERRORS],
  },
};
