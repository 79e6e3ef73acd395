import { testEventRequest } from '@affkit/protocol';
import { isRejection } from '../rejection.ts';
import type { Recorders } from '../tracking/recorders.ts';
import { type ChainStep, runChainTest } from '../tracking/test-chain.ts';
import { type Route, route } from './route.ts';
import { testEventReplyFields } from './tracking.ts';

export function testChainRoutes(recorders: Recorders): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/v1/cli/test-event',
      access: { kind: 'token' },
      body: testEventRequest,
      handle: async (runtime, { body, caller: program }) => {
        const steps = await runChainTest(runtime, recorders, program);
        if (isRejection(steps)) return steps;
        return {
          body: {
            success: true,
            type: body.type,
            program_id: program.id,
            healthy: steps.every(({ outcome }) => !isRejection(outcome)),
            steps: steps.map(toChainStepReply),
          },
        };
      },
    }),
  ];
}

/** Converts the result of one step of a chain test to a reply. */
export function toChainStepReply({ step, outcome }: ChainStep) {
  return isRejection(outcome)
    ? { step, ok: false, message: outcome.message, code: outcome.code }
    : { step, ok: true, message: `Test ${step} recorded`, data: testEventReplyFields(outcome) };
}
