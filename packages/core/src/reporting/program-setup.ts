import { checkOrigin } from '../domain/check-origin.ts';
import type { Runtime } from '../runtime.ts';
import { findWorkingCode } from '../storage/programs/links.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { hasApprovedPartner } from '../storage/reads/integration.ts';
import {
  findLatestWebhook,
  findReceivedEvents,
  type ReceivedEvents,
  SETUP_EVENT_KINDS,
  type SetupEventKind,
} from '../storage/reads/program-setup.ts';

const MISSING_STEP_TEXTS = {
  no_approved_partner: 'No partner is approved. Invite a partner, or approve one.',
  no_active_link: 'No approved partner has an active link. Create a link, or set one to active.',
  site_not_allowed:
    'The origin of site_url is not in allowed_origins, so pages of this site cannot report events. Add the origin to allowed_origins.',
  browser_leads_off: 'browser_leads is off, so only your server can report leads, with the tracking token.',
  no_click: 'No click has arrived yet. Only customers who clicked a link can be attributed to a partner.',
  no_sale: 'No sale has arrived yet, so there is nothing to refund.',
  last_call_rejected: 'The last call was rejected. See last_rejected.',
  only_test_events: 'Only test events have arrived.',
  processor_not_connected:
    'No payment processor is connected. Connect one, or report refunds with POST /api/v1/track/refund.',
  no_webhook:
    'The payment processor is connected, but no verified webhook has arrived. Check the URL and the signing secret of the webhook.',
} as const;

const NO_EVENT: Readonly<Record<SetupEventKind, string>> = {
  click: "Add the tracker to the pages of your site, then open a partner's link.",
  lead: 'Report a lead after the sign-up, with affkit.lead() in the browser or POST /api/v1/track/lead.',
  sale: 'Report each payment with POST /api/v1/track/sale from your server, or connect a payment processor.',
  refund: 'No refund has arrived yet. Refund a payment to check this step.',
};

interface MissingStep {
  readonly reason: keyof typeof MISSING_STEP_TEXTS | 'no_event';
  readonly why: string;
}

/** A step of the integration: the received events of one kind, and what is still missing. */
export interface SetupStep extends ReceivedEvents {
  readonly step: SetupEventKind;
  readonly state: 'waiting' | 'tested' | 'received';
  readonly missing: readonly MissingStep[];
}

export interface ProgramSetup {
  readonly steps: readonly SetupStep[];
  readonly webhook: Awaited<ReturnType<typeof findLatestWebhook>>;
  /**
   * Whether the program has an approved partner and has received a click, a lead and a sale. Test events
   * count too.
   */
  readonly isHealthy: boolean;
}

/** Reads the progress of a program's integration. */
export async function readProgramSetup(runtime: Runtime, program: ProgramAccount): Promise<ProgramSetup> {
  const { read } = runtime.engine;
  const [events, webhook, hasPartner, code] = await Promise.all([
    findReceivedEvents(read, program.id),
    findLatestWebhook(read, program.workspaceId),
    hasApprovedPartner(read, program.id),
    findWorkingCode(read, program.id),
  ]);
  const causes = findMissingSetup(program, { events, webhook, hasPartner, hasLink: code !== null });
  const steps = SETUP_EVENT_KINDS.map((kind) => describeSetupStep(kind, events[kind], causes[kind]));
  const isHealthy = hasPartner && steps.every(({ step, state }) => step === 'refund' || state !== 'waiting');
  return { steps, webhook, isHealthy };
}

/** Lists the reasons why events of each kind cannot arrive or have no effect. */
function findMissingSetup(
  program: ProgramAccount,
  facts: {
    readonly events: Readonly<Record<SetupEventKind, ReceivedEvents>>;
    readonly webhook: ProgramSetup['webhook'];
    readonly hasPartner: boolean;
    readonly hasLink: boolean;
  },
): Readonly<Record<SetupEventKind, readonly (keyof typeof MISSING_STEP_TEXTS)[]>> {
  const { events, webhook, hasPartner, hasLink } = facts;
  const isSiteAllowed = checkOrigin(new URL(program.siteUrl).origin, program, undefined) === null;
  const site = isSiteAllowed ? [] : (['site_not_allowed'] as const);
  const noClick = events.click.lastAt === null ? (['no_click'] as const) : [];
  const noLink = hasPartner ? 'no_active_link' : 'no_approved_partner';
  const noWebhook = webhook ? 'no_webhook' : 'processor_not_connected';
  return {
    click: [...(hasLink ? [] : ([noLink] as const)), ...site],
    lead: [...noClick, ...(program.browserLeads === 'off' ? (['browser_leads_off'] as const) : site)],
    sale: noClick,
    refund: [
      ...(events.sale.lastAt === null ? (['no_sale'] as const) : []),
      ...(webhook?.last ? [] : ([noWebhook] as const)),
    ],
  };
}

function describeSetupStep(
  step: SetupEventKind,
  facts: ReceivedEvents,
  causes: readonly (keyof typeof MISSING_STEP_TEXTS)[],
): SetupStep {
  const { lastAt, lastTestAt } = facts;
  const isNewer = facts.lastRefusal !== null && (lastAt === null || facts.lastRefusal.at > lastAt);
  const lastRefusal = isNewer ? facts.lastRefusal : null;
  if (lastAt !== null) return { ...facts, step, state: 'received', lastRefusal, missing: [] };
  const reasons = [
    ...causes,
    ...(lastRefusal ? (['last_call_rejected'] as const) : []),
    ...(lastTestAt === null ? [] : (['only_test_events'] as const)),
  ];
  return {
    ...facts,
    step,
    state: lastTestAt === null ? 'waiting' : 'tested',
    lastRefusal,
    missing: [
      ...reasons.map((reason) => ({ reason, why: MISSING_STEP_TEXTS[reason] })),
      { reason: 'no_event' as const, why: NO_EVENT[step] },
    ],
  };
}
