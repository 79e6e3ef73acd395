import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { hasApprovedPartner, type ListedTestEvent, listTestEvents } from '../storage/reads/integration.ts';
import {
  findConnectedProcessor,
  type ProcessorConnectionRow,
} from '../storage/stripe/processor-connections.ts';

const MAX_COUNTED_TEST_EVENTS = 10;

/** Reads the status of a program's integration for the dashboard, with the fields that the API returns. */
export async function readStatus(
  runtime: Runtime,
  program: ProgramAccount,
): Promise<Record<string, unknown>> {
  const { read } = runtime.engine;
  const [clicks, leads, hasPartners, connection] = await Promise.all([
    listTestEvents(read, 'click_events', program.id, MAX_COUNTED_TEST_EVENTS),
    listTestEvents(read, 'lead_events', program.id, MAX_COUNTED_TEST_EVENTS),
    hasApprovedPartner(read, program.id),
    findConnectedProcessor(read, program.workspaceId),
  ]);
  return {
    programId: String(program.id),
    stepStatuses: {
      pageview: testStepOf(clicks),
      referrals: testStepOf(leads),
      payments: connection ? 'complete' : 'pending',
    },
    statistics: {
      pageview: describeTests(clicks),
      referrals: describeTests(leads),
      payments: connection ? describeConnection(connection) : NO_CONNECTION,
    },
    hasPartners,
    lastUpdated: isoTime(runtime.now()),
  };
}

const NO_CONNECTION = {
  processorConnectionStatus: 'not_connected',
  isProcessorConnected: false,
  processorAccountId: null,
  chargesEnabled: false,
  payoutsEnabled: false,
  detailsSubmitted: false,
  connectionDate: null,
} as const;

function describeConnection(connection: ProcessorConnectionRow) {
  return {
    processorConnectionStatus: 'connected',
    isProcessorConnected: true,
    processorAccountId: connection.account_id,
    chargesEnabled: connection.charges_enabled === 1,
    payoutsEnabled: connection.payouts_enabled === 1,
    detailsSubmitted: connection.details_submitted === 1,
    connectionDate: isoTimeOrNull(connection.connected_at),
  };
}

function testStepOf(tests: readonly ListedTestEvent[]): 'complete' | 'pending' {
  return tests.length > 0 ? 'complete' : 'pending';
}

function describeTests(tests: readonly ListedTestEvent[]) {
  const [latest] = tests;
  return {
    testEventCount: tests.length,
    hasTestEvents: tests.length > 0,
    latestTestEvent: latest
      ? {
          id: latest.id,
          timestamp: isoTime(latest.at),
          createdAt: isoTime(latest.createdAt),
        }
      : null,
  };
}
