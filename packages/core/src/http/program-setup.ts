import { programTestEventRequest, strictQuery } from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { isRejection } from '../rejection.ts';
import { type ProgramSetup, readProgramSetup, type SetupStep } from '../reporting/program-setup.ts';
import type { Recorders } from '../tracking/recorders.ts';
import { runChainTest } from '../tracking/test-chain.ts';
import { type Route, route } from './route.ts';
import { toChainStepReply } from './test-chain.ts';

/** The routes that an advertiser uses to set up and test the integration of a program. */
export function programSetupRoutes(recorders: Recorders): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/advertiser/affiliate-programs/:id/integration',
      access: { kind: 'management', scope: 'program:read', program: true },
      query: strictQuery({}),
      handle: async (runtime, { caller: { program } }) => {
        await recorders.refusals.flush();
        const setup = await readProgramSetup(runtime, program);
        return {
          body: {
            success: true,
            data: {
              steps: setup.steps.map(toSetupStepReply),
              webhook: toSetupWebhookReply(setup.webhook),
              healthy: setup.isHealthy,
              checked_at: isoTime(runtime.now()),
            },
          },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/advertiser/affiliate-programs/:id/test-event',
      access: { kind: 'management', scope: 'program:update', program: true },
      query: strictQuery({}),
      body: programTestEventRequest,
      handle: async (runtime, { caller: { program } }) => {
        const steps = await runChainTest(runtime, recorders, program);
        if (isRejection(steps)) return steps;
        const healthy = steps.every(({ outcome }) => !isRejection(outcome));
        return { body: { success: true, data: { healthy, steps: steps.map(toChainStepReply) } } };
      },
    }),
  ];
}

function toSetupStepReply({ step, state, total, lastAt, lastTestAt, lastRefusal, missing }: SetupStep) {
  return {
    step,
    state,
    total,
    last_at: isoTimeOrNull(lastAt),
    last_test_at: isoTimeOrNull(lastTestAt),
    last_rejected: lastRefusal && {
      code: lastRefusal.code,
      reason: lastRefusal.reason,
      refused_at: isoTime(lastRefusal.at),
    },
    missing,
  };
}

function toSetupWebhookReply(webhook: ProgramSetup['webhook']) {
  return (
    webhook && {
      connection_id: webhook.id,
      mode: webhook.mode,
      connected_at: isoTimeOrNull(webhook.connectedAt),
      last_at: isoTimeOrNull(webhook.last?.receivedAt ?? null),
      last_type: webhook.last?.type ?? null,
      last_outcome: webhook.last?.outcome ?? null,
      last_reason: webhook.last?.reason ?? null,
    }
  );
}
