import { PARTNER_PARAM, trackClickRequest, trackLeadRequest, trackTestSaleRequest } from '@affkit/protocol';
import { HOUR_MS } from '../domain/calendar.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findWorkingCode } from '../storage/programs/links.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { claimChainTest } from '../storage/tracking/chain-test-runs.ts';
import type { Recorders } from './recorders.ts';
import { type RecordedTestEvent, trackClick } from './track-click.ts';
import { trackTestLead } from './track-lead.ts';
import { trackTestSale } from './track-test-sale.ts';

const MAX_RUNS_PER_HOUR = 10;
/** The customer key of the test events. Test events never change a customer. */
const CUSTOMER_KEY = 'affkit-chain-test';
const AMOUNT_CENTS = 1_000;

export interface ChainStep {
  readonly step: 'click' | 'lead' | 'sale';
  readonly outcome: RecordedTestEvent | Rejection;
}

/**
 * Records a click, a lead and a sale in test mode, as if the program's shop had sent them. The click is on an
 * active link of the program. The click and the lead have the origin of `site_url`. The lead and the sale are recorded
 * as if they were sent with the program's tracking token. If a step is rejected, the next steps still run.
 * @returns a `rate_limited` rejection after 10 runs in an hour
 */
export async function runChainTest(
  runtime: Runtime,
  recorders: Pick<Recorders, 'clicks' | 'testEvents'>,
  program: ProgramAccount,
): Promise<readonly ChainStep[] | Rejection> {
  const rejection = await claimRun(runtime, program);
  if (rejection) return rejection;
  return [
    { step: 'click', outcome: await recordTestClick(runtime, recorders, program) },
    { step: 'lead', outcome: await recordTestLead(runtime, recorders.testEvents, program) },
    { step: 'sale', outcome: await recordTestSale(runtime, program) },
  ];
}

async function claimRun(runtime: Runtime, program: ProgramAccount): Promise<Rejection | null> {
  const now = runtime.now();
  const oldest = await runtime.engine.write(program.workspaceId, (tx) =>
    claimChainTest(tx, program.id, now, { limit: MAX_RUNS_PER_HOUR, since: now - HOUR_MS }),
  );
  if (oldest === null) return null;
  const retryAfterSeconds = Math.ceil((oldest + HOUR_MS - now) / 1000);
  return new Rejection('rate_limited', undefined, { retryAfterSeconds });
}

async function recordTestClick(
  runtime: Runtime,
  recorders: Pick<Recorders, 'clicks' | 'testEvents'>,
  program: ProgramAccount,
): Promise<RecordedTestEvent | Rejection> {
  const code = await findWorkingCode(runtime.engine.read, program.id);
  if (code === null) {
    return new Rejection(
      'referral_link_not_found',
      'The program has no active link of an approved partner. Approve a partner, or activate a link.',
    );
  }
  const landing = new URL(program.siteUrl);
  landing.searchParams.set(PARTNER_PARAM, code);
  const input = trackClickRequest.parse({
    affiliate_url: landing.href,
    additional_data: { test_mode: true, program_id: program.id },
  });
  const headers = { ...sitePageOf(program), userAgent: undefined, ip: null };
  const outcome = await trackClick(runtime, recorders, input, headers);
  if (isRejection(outcome) || outcome.kind === 'test') return outcome;
  throw new Error('A click in test mode was recorded as a real click');
}

function recordTestLead(
  runtime: Runtime,
  recorder: Recorders['testEvents'],
  program: ProgramAccount,
): Promise<RecordedTestEvent | Rejection> {
  const input = trackLeadRequest.parse({
    customer_key: CUSTOMER_KEY,
    additional_data: { test_mode: true },
  });
  return trackTestLead(runtime, recorder, input, program, sitePageOf(program));
}

function recordTestSale(runtime: Runtime, program: ProgramAccount): Promise<RecordedTestEvent | Rejection> {
  const input = trackTestSaleRequest.parse({
    customer_key: CUSTOMER_KEY,
    amount_cents: AMOUNT_CENTS,
    currency: program.currency,
    additional_data: { test_mode: true },
  });
  return trackTestSale(runtime, program, input);
}

/** Returns the origin of `site_url`. If the program does not allow this origin, the click and the lead are rejected. */
function sitePageOf(program: ProgramAccount): { readonly origin: string; readonly ownHost: undefined } {
  return { origin: new URL(program.siteUrl).origin, ownHost: undefined };
}
