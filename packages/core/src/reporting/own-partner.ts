import type { Runtime } from '../runtime.ts';
import { countOwnLinks } from '../storage/links.ts';
import { listOwnEnrolments, type OwnEnrolment } from '../storage/own-enrolments.ts';
import { findPartnerFigures, type PartnerFigures } from '../storage/partner-figures.ts';

/** An enrolment with what the partner brought and is owed by it. */
export interface EnrolmentView extends OwnEnrolment {
  readonly figures: PartnerFigures;
  readonly linkCount: number;
}

/** Where the partners stand in each program that is not deleted. */
export async function readOwnEnrolments(
  runtime: Runtime,
  partnerIds: readonly number[],
): Promise<EnrolmentView[]> {
  const { read } = runtime.engine;
  const enrolments = await listOwnEnrolments(read, partnerIds);
  const programIds = [...new Set(enrolments.map(({ program }) => program.id))];
  const counts = await countOwnLinks(read, { programIds, partnerIds });
  const views: EnrolmentView[] = [];
  for (const enrolment of enrolments) {
    const { partnerId, program } = enrolment;
    const figuresOf = await findPartnerFigures(read, program.id, [partnerId], runtime.now());
    const count = counts.find((row) => row.program_id === program.id && row.partner_id === partnerId);
    views.push({ ...enrolment, figures: figuresOf(partnerId), linkCount: count?.total ?? 0 });
  }
  return views;
}
