import type { Runtime } from '../runtime.ts';
import { countPartnerLinks } from '../storage/programs/links.ts';
import { findPartnerFigures, type PartnerFigures } from '../storage/programs/partner-figures.ts';
import { listPartnerEnrollments, type PartnerEnrollment } from '../storage/reads/partner-enrollments.ts';

/** An enrollment of a partner, with the counters and balances in that program. */
export interface EnrollmentView extends PartnerEnrollment {
  readonly figures: PartnerFigures;
  readonly linkCount: number;
}

/** Reads the enrollments of the partners in all programs that are not deleted. */
export async function readPartnerEnrollments(
  runtime: Runtime,
  partnerIds: readonly number[],
): Promise<EnrollmentView[]> {
  const { read } = runtime.engine;
  const enrollments = await listPartnerEnrollments(read, partnerIds);
  const programIds = [...new Set(enrollments.map(({ program }) => program.id))];
  const counts = await countPartnerLinks(read, { programIds, partnerIds });
  const views: EnrollmentView[] = [];
  for (const enrollment of enrollments) {
    const { partnerId, program } = enrollment;
    const figuresOf = await findPartnerFigures(read, program.id, [partnerId], runtime.now());
    const count = counts.find((row) => row.program_id === program.id && row.partner_id === partnerId);
    views.push({ ...enrollment, figures: figuresOf(partnerId), linkCount: count?.total ?? 0 });
  }
  return views;
}
