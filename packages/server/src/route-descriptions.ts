import type { OtherRoute } from '@affkit/core';
import { z } from 'zod';
import { clientDescription } from './describe-client.ts';
import type { TrackerScript } from './tracker-script.ts';

const SCRIPT_REPLY = {
  200: { text: 'The script.', mediaType: 'text/javascript', examples: { 'First line': '(function () {' } },
} as const;
const NOT_READ = ['headers_too_large'] as const;

const PAGE_REPLY = {
  200: { text: 'The page.', mediaType: 'text/html', examples: { 'Its beginning': '<!doctype html>' } },
} as const;

const DASHBOARD_ROUTE: OtherRoute = {
  path: '/app',
  id: 'openDashboard',
  tag: 'Service',
  summary: 'Open the dashboard',
  description:
    'The web pages for advertisers and partners. `/` redirects here. `DASHBOARD=off` removes them.',
  replies: PAGE_REPLY,
  errors: NOT_READ,
};

const HOME_ROUTE: OtherRoute = {
  path: '/',
  id: 'readHome',
  tag: 'Service',
  summary: 'Read this document as a web page at `/`',
  description: 'Identical to `/docs`.',
  replies: PAGE_REPLY,
  errors: NOT_READ,
};

/** The parts of the server that determine its routes. */
export interface ServerRouteOptions {
  readonly tracker: Pick<TrackerScript, 'script' | 'linker'>;
  readonly hasDashboard: boolean;
}

/** Describes the routes of this server that are not part of Affkit, for the OpenAPI document. */
export const describeRoutes = ({ tracker, hasDashboard }: ServerRouteOptions): readonly OtherRoute[] => [
  hasDashboard ? DASHBOARD_ROUTE : HOME_ROUTE,
  {
    path: '/healthz',
    id: 'readHealth',
    tag: 'Service',
    summary: 'Check that the process is running',
    description: 'It reads nothing from the database.',
    errors: NOT_READ,
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
    description:
      'It checks that the database can be read and accepts writes. With `DATABASE_READ_URL`, it also shows the state of the read replica. In the state `used`, the replica answers reads. In the states `behind`, `away` and `not_a_replica`, the primary answers all reads.',
    errors: NOT_READ,
    replies: {
      200: {
        text: 'The server can process requests. If it cannot, it responds with 503.',
        schema: z.object({
          success: z.literal(true),
          status: z.literal('ready'),
          replica: z
            .object({
              status: z.enum(['used', 'behind', 'away', 'not_a_replica']),
              lag_seconds: z.number().nullable(),
            })
            .optional(),
        }),
        examples: {
          Ready: { success: true, status: 'ready' },
          'With a read replica': {
            success: true,
            status: 'ready',
            replica: { status: 'used', lag_seconds: 0.412 },
          },
        },
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
    path: '/diagnostics',
    id: 'readDiagnostics',
    tag: 'Service',
    summary: 'Read what the server knows about the sender of this request',
    description:
      '`affkit doctor` compares the reply with the request that it sent, to check `TRUST_PROXY` and the headers of your proxies. Send `METRICS_TOKEN` as `Authorization: Bearer …`.',
    replies: {
      200: {
        text: 'The sender of this request.',
        schema: clientDescription,
        examples: {
          'Behind one proxy': {
            success: true,
            client_ip: '203.0.113.7',
            peer_ip: '10.0.0.2',
            forwarded_for: ['203.0.113.7'],
            secure: true,
            host: 'affiliates.your-shop.example',
          },
        },
      },
    },
    errors: ['unauthenticated', 'forbidden'],
  },
  {
    path: '/js/affkit.js',
    id: 'readTracker',
    tag: 'Service',
    summary: 'Load the tracker script',
    description: 'Browsers cache the script for five minutes. `TRACKER_SCRIPT_PATH` adds another path.',
    replies: SCRIPT_REPLY,
    errors: NOT_READ,
  },
  {
    path: asPath(tracker.script.path),
    id: 'readTrackerVersion',
    tag: 'Service',
    summary: 'Load this version of the tracker script',
    description:
      'Browsers cache the script for a year, because the path contains a hash of it. The log line `listening` shows this path and its `integrity`.',
    replies: SCRIPT_REPLY,
    errors: NOT_READ,
  },
  {
    path: '/js/affkit-linker.js',
    id: 'readLinker',
    tag: 'Service',
    summary: "Load the tracker's linker",
    description:
      'A site with several domains adds a script tag for this file next to the tag of the tracker script. Browsers cache the file for five minutes. With `TRACKER_SCRIPT_PATH=/a/shop.js`, the file is also served at `/a/shop-linker.js`.',
    replies: SCRIPT_REPLY,
    errors: NOT_READ,
  },
  {
    path: asPath(tracker.linker.path),
    id: 'readLinkerVersion',
    tag: 'Service',
    summary: "Load this version of the tracker's linker",
    description:
      'Browsers cache the linker for a year, because the path contains a hash of it. The log line `listening` shows this path and its `integrity`.',
    replies: SCRIPT_REPLY,
    errors: NOT_READ,
  },
];

function asPath(path: string): `/${string}` {
  return `/${path.replace(/^\//, '')}`;
}
