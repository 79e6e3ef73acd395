import {
  apiKeyRow,
  createdApiKeyRow,
  createdProgramRow,
  doneReply,
  itemReply,
  listReply,
  marketplaceRow,
  programRow,
  tokenRow,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination, exampleProgram } from './examples.ts';

const DESCRIBED_PROGRAMS_PATH = '/api/advertiser/affiliate-programs';
const EXAMPLE_TRACKING_TOKEN = 'aff_EXAMPLE';

const exampleKey: z.output<typeof apiKeyRow> = {
  id: 1,
  workspace_id: 1,
  name: 'Reports',
  prefix: 'affk_0123',
  scopes: ['program:list', 'commission:list'],
  program_scope: ['1'],
  expires_at: null,
  status: 'active',
  key_masked: 'affk_0123…2345',
  last_used_at: EXAMPLE_TIME,
  created_at: EXAMPLE_TIME,
};

export const programDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PROGRAMS_PATH}`]: {
    id: 'listPrograms',
    tag: 'Programs',
    summary: 'List programs',
    replies: {
      200: reply('A page of programs.', listReply(programRow), {
        One: { success: true, data: [exampleProgram], meta: examplePagination(1) },
      }),
    },
  },
  [`POST ${DESCRIBED_PROGRAMS_PATH}`]: {
    id: 'createProgram',
    tag: 'Programs',
    summary: 'Create a program',
    description:
      'Only this reply contains the whole `api_token`. A draft tracks events like a live program. A key with `program_scope` cannot create programs.',
    body: body('ProgramRequest', {
      '20% of each sale': {
        name: 'Tea Shop',
        site_url: 'https://shop.example/',
        commission: { type: 'percent', rate: 20 },
        hold_days: 30,
      },
    }),
    replies: {
      201: reply('The new program.', itemReply(createdProgramRow), {
        Made: {
          success: true,
          data: { ...exampleProgram, status: 'draft', api_token: EXAMPLE_TRACKING_TOKEN },
        },
      }),
    },
    errors: ['workspace_required', 'slug_taken'],
  },
  [`GET ${DESCRIBED_PROGRAMS_PATH}/:id`]: {
    id: 'readProgram',
    tag: 'Programs',
    summary: 'Get a program',
    replies: {
      200: reply('The program.', itemReply(programRow), {
        'A live program': { success: true, data: exampleProgram },
      }),
    },
  },
  [`PUT ${DESCRIBED_PROGRAMS_PATH}/:id`]: {
    id: 'updateProgram',
    tag: 'Programs',
    summary: 'Update a program',
    description:
      '`cookie_domain: null` removes the domain. `currency` cannot be changed after the first sale.',
    body: body('ProgramChange', { 'A longer window': { cookie_window_days: 90 } }),
    replies: {
      200: reply('The updated program.', itemReply(programRow), {
        Changed: { success: true, data: { ...exampleProgram, cookie_window_days: 90 } },
      }),
    },
    errors: ['slug_taken', 'currency_immutable'],
  },
  [`DELETE ${DESCRIBED_PROGRAMS_PATH}/:id`]: {
    id: 'deleteProgram',
    tag: 'Programs',
    summary: 'Delete a program',
    description:
      'The links and the tracking token of the program stop working. The history of the program is kept.',
    replies: { 200: reply('The program was deleted.', doneReply, { Deleted: { success: true } }) },
    errors: ['program_has_balance'],
  },
  [`POST ${DESCRIBED_PROGRAMS_PATH}/:id/go-live`]: {
    id: 'publishProgram',
    tag: 'Programs',
    summary: 'List a program on the marketplace',
    replies: {
      200: reply('The live program.', itemReply(programRow), {
        Live: { success: true, data: exampleProgram },
      }),
    },
  },
  [`POST ${DESCRIBED_PROGRAMS_PATH}/:id/regenerate-api-token`]: {
    id: 'regenerateToken',
    tag: 'Programs',
    summary: 'Replace the tracking token',
    description: 'The previous token stops working immediately. Only this reply contains the new token.',
    replies: {
      200: reply('The new token.', itemReply(tokenRow), {
        Replaced: {
          success: true,
          data: { api_token: EXAMPLE_TRACKING_TOKEN, api_token_masked: 'aff_0123…2345' },
        },
      }),
    },
  },
  'GET /api/v1/marketplace/programs': {
    id: 'listMarketplace',
    tag: 'Marketplace',
    summary: 'List live programs and their commission',
    description: 'A program is listed after `go-live`.',
    replies: {
      200: reply('A page of programs.', listReply(marketplaceRow), {
        One: {
          success: true,
          data: [
            {
              name: 'Tea Shop',
              slug: 'tea-shop',
              site_url: 'https://shop.example/',
              commission: { type: 'percent', rate: 20, recurring_months: null },
              cookie_window_days: 60,
            },
          ],
          meta: examplePagination(1),
        },
      }),
    },
  },
};

export const apiKeyDescriptions: Descriptions = {
  'GET /api/advertiser/api-keys': {
    id: 'listApiKeys',
    tag: 'Management keys',
    summary: 'List management keys, masked',
    description: 'A request with a key lists only that key.',
    replies: {
      200: reply('A page of keys.', listReply(apiKeyRow), {
        One: { success: true, data: [exampleKey], meta: examplePagination(1) },
      }),
    },
  },
  'POST /api/advertiser/api-keys': {
    id: 'createApiKey',
    tag: 'Management keys',
    summary: 'Create a management key',
    description: 'Requires the session of an owner or admin. Only this reply contains the whole `key`.',
    body: body('ApiKeyRequest', {
      'For reports': {
        name: 'Reports',
        scopes: ['program:list', 'commission:list'],
        program_scope: ['1'],
      },
    }),
    replies: {
      201: reply('The new key.', itemReply(createdApiKeyRow), {
        Made: {
          success: true,
          data: { ...exampleKey, last_used_at: null, key: 'affk_EXAMPLE' },
        },
      }),
    },
    errors: ['workspace_required'],
  },
  'PUT /api/advertiser/api-keys/:id': {
    id: 'updateApiKey',
    tag: 'Management keys',
    summary: 'Rename a key or change its scopes',
    description: 'A key can change only itself, and can only narrow its own scopes and programs.',
    body: body('ApiKeyChange', { 'One scope': { scopes: ['program:list'] } }),
    replies: {
      200: reply('The updated key.', itemReply(apiKeyRow), {
        Changed: { success: true, data: { ...exampleKey, scopes: ['program:list'] } },
      }),
    },
    errors: ['not_found', 'conflict', 'scope_escalation'],
  },
  'DELETE /api/advertiser/api-keys/:id': {
    id: 'revokeApiKey',
    tag: 'Management keys',
    summary: 'Revoke a key',
    description: 'A key can revoke only itself.',
    replies: {
      200: reply('The revoked key.', itemReply(apiKeyRow), {
        Revoked: { success: true, data: { ...exampleKey, status: 'revoked' } },
      }),
    },
    errors: ['not_found', 'scope_escalation'],
  },
};
