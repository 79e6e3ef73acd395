import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { findProgramHealth } from '../storage/reads/program-health.ts';
import { findConnectedProcessor } from '../storage/stripe/processor-connections.ts';

type StepStatus = 'pending' | 'complete';

export interface ProgramStatus {
  /**
   * `pageview` is complete after a test click, and `referrals` after a test lead. `payments` is complete while a
   * payment processor is connected.
   */
  readonly steps: {
    readonly pageview: StepStatus;
    readonly referrals: StepStatus;
    readonly payments: StepStatus;
  };
  /** Epoch milliseconds of the latest real event of each kind, or null. */
  readonly lastEventAt: {
    readonly click: number | null;
    readonly lead: number | null;
    readonly sale: number | null;
  };
  /** The number of real events of each kind in the last 24 hours. */
  readonly recent: { readonly click: number; readonly lead: number; readonly sale: number };
  readonly activePartners: number;
  readonly pendingCommissions: number;
  /**
   * Whether the program has an approved partner and has received at least one event of each kind. Test events
   * count too.
   */
  readonly isHealthy: boolean;
  readonly checkedAt: number;
}

/** Reads the state of a program's integration. */
export async function readProgramStatus(runtime: Runtime, program: ProgramAccount): Promise<ProgramStatus> {
  const checkedAt = runtime.now();
  const health = await findProgramHealth(runtime.engine.read, program.id, checkedAt - DAY_MS);
  const connection = await findConnectedProcessor(runtime.engine.read, program.workspaceId);
  const { hasTest, lastAt } = health;
  const kinds = ['click', 'lead', 'sale'] as const;
  return {
    steps: {
      pageview: hasTest.click ? 'complete' : 'pending',
      referrals: hasTest.lead ? 'complete' : 'pending',
      payments: connection ? 'complete' : 'pending',
    },
    lastEventAt: lastAt,
    recent: health.recent,
    activePartners: health.approvedPartners,
    pendingCommissions: health.pendingCommissions,
    isHealthy: health.approvedPartners > 0 && kinds.every((kind) => hasTest[kind] || lastAt[kind] !== null),
    checkedAt,
  };
}
