import { z } from 'zod';
import { type Descriptions, reply } from './description.ts';

export const serviceDescriptions: Descriptions = {
  'GET /api/openapi.json': {
    id: 'readOpenApi',
    tag: 'Service',
    summary: 'Get this document',
    description: 'The server URL in the document is the path where Affkit is mounted.',
    errors: ['headers_too_large'],
    replies: {
      200: reply('An OpenAPI 3.1 document.', z.looseObject({ openapi: z.string() }), {
        'Its beginning': { openapi: '3.1.1' },
      }),
    },
  },
  'GET /docs': {
    id: 'readDocs',
    tag: 'Service',
    summary: 'Read this document as a web page',
    description: 'The page loads no other resources.',
    errors: ['headers_too_large'],
    replies: {
      200: { text: 'The page.', mediaType: 'text/html', examples: { 'Its beginning': '<!doctype html>' } },
    },
  },
};
