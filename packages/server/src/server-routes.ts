import type { OtherRoute } from '@affkit/core';
import { z } from 'zod';

/** What this server answers beside Affkit's own table, for its description. */
export const SERVER_ROUTES: readonly OtherRoute[] = [
  {
    path: '/healthz',
    id: 'readHealth',
    tag: 'Service',
    summary: 'Is the process there?',
    replies: {
      200: {
        text: 'It is.',
        schema: z.object({ success: z.literal(true), status: z.literal('ok') }),
        examples: { There: { success: true, status: 'ok' } },
      },
    },
  },
  {
    path: '/readyz',
    id: 'readReadiness',
    tag: 'Service',
    summary: 'Can requests be answered now?',
    replies: {
      200: {
        text: 'They can; else 503.',
        schema: z.object({ success: z.literal(true), status: z.literal('ready') }),
        examples: { Ready: { success: true, status: 'ready' } },
      },
    },
  },
  {
    path: '/metrics',
    id: 'readMetrics',
    tag: 'Service',
    summary: 'Figures for Prometheus',
    description:
      'With `METRICS_TOKEN` it takes that token as `Authorization: Bearer …`; without it only this machine may read, by a loopback address and through no proxy.',
    replies: {
      200: {
        text: 'The figures, in the text format.',
        mediaType: 'text/plain',
        examples: { 'A figure': 'process_start_time_seconds 1769860800\n' },
      },
    },
    errors: ['unauthenticated', 'forbidden'],
  },
  {
    path: '/js/affkit.js',
    id: 'readTracker',
    tag: 'Service',
    summary: 'The tracker, for pages',
    description:
      'Kept for five minutes. The log names its address for good, `/js/affkit.<version>.js`, and its `integrity`. `TRACKER_SCRIPT_PATH` adds another address.',
    replies: {
      200: {
        text: 'The script.',
        mediaType: 'text/javascript',
        examples: { 'Its beginning': '(function () {' },
      },
    },
  },
];
