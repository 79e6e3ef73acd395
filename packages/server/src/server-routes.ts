import type { OtherRoute } from '@affkit/core';
import { z } from 'zod';

/** The routes of this server that Affkit does not have, for the OpenAPI document. */
export const SERVER_ROUTES: readonly OtherRoute[] = [
  {
    path: '/healthz',
    id: 'readHealth',
    tag: 'Service',
    summary: 'Check that the process is running',
    replies: {
      200: {
        text: 'The process is running.',
        schema: z.object({ success: z.literal(true), status: z.literal('ok') }),
        examples: { Running: { success: true, status: 'ok' } },
      },
    },
  },
  {
    path: '/readyz',
    id: 'readReadiness',
    tag: 'Service',
    summary: 'Check that the server can process requests',
    replies: {
      200: {
        text: 'The server can process requests. Otherwise it responds with 503.',
        schema: z.object({ success: z.literal(true), status: z.literal('ready') }),
        examples: { Ready: { success: true, status: 'ready' } },
      },
    },
  },
  {
    path: '/metrics',
    id: 'readMetrics',
    tag: 'Service',
    summary: 'Read metrics for Prometheus',
    description:
      'Send `METRICS_TOKEN` as `Authorization: Bearer …`. If it is not set, nobody may read the metrics, and the response is a 403.',
    replies: {
      200: {
        text: 'The metrics in the Prometheus text format.',
        mediaType: 'text/plain',
        examples: { 'One metric': 'process_start_time_seconds 1769860800\n' },
      },
    },
    errors: ['unauthenticated', 'forbidden'],
  },
  {
    path: '/js/affkit.js',
    id: 'readTracker',
    tag: 'Service',
    summary: 'Load the tracker script',
    description:
      'Browsers cache the script for five minutes. The log line `listening` shows its permanent path, `/js/affkit.<version>.js`, and its `integrity`. `TRACKER_SCRIPT_PATH` adds another path.',
    replies: {
      200: {
        text: 'The script.',
        mediaType: 'text/javascript',
        examples: { 'First line': '(function () {' },
      },
    },
  },
];
