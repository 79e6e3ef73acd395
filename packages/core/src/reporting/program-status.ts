import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { findProgramHealth } from '../storage/reads/program-health.ts';
import { findConnected } from '../storage/stripe/processor-connections.ts';

type StepStatus = 'pending' | 'complete';

export interface ProgramStatus {
  readonly steps: {
    readonly pageview: StepStatus;
    readonly referrals: StepStatus;
    readonly payments: StepStatus;
  };
  readonly lastEventAt: {
    readonly click: number | null;
    readonly lead: number | null;
    readonly sale: number | null;
  };
  readonly recent: { readonly click: number; readonly lead: number; readonly sale: number };
  readonly activePartners: number;
  readonly pendingCommissions: number;
  /** A partner can earn, and each kind of event has come through, in earnest or in test mode. */
  readonly isHealthy: boolean;
  readonly checkedAt: number;
}

/** How a program's integration stands. */
export async function readProgramStatus(runtime: Runtime, program: ProgramAccount): Promise<ProgramStatus> {
  const checkedAt = runtime.now();
  const health = await findProgramHealth(runtime.engine.read, program.id, checkedAt - DAY_MS);
  const connection = await findConnected(runtime.engine.read, program.workspaceId);
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
