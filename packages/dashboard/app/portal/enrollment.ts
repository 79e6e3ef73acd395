import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PortalPartner, PortalPartners, PortalProgram } from '../api/types.ts';
import { lastProgram } from '../shell/last-program.ts';

/** A program of the signed-in partner, as the pages below `/partner/:programId` show it. */
export interface Enrollment {
  readonly program: PortalProgram;
  readonly partner: Omit<PortalPartner, 'programs'>;
  /** Path of the program's pages, for links. */
  readonly page: string;
  /** Query parameters that limit a list of the API to this program. */
  readonly query: { readonly partner_id: number; readonly program_id: number };
}

/** The programs of all the user's partners, in all workspaces. */
export const EnrollmentsContext = createContext<readonly Enrollment[]>([]);

/** The programs that the user may switch to. */
export function useEnrollments(): readonly Enrollment[] {
  return useContext(EnrollmentsContext);
}

/** The program of the URL, or else the program that the user looked at last. */
export const EnrollmentContext = createContext<Enrollment | null>(null);

/** The program of a page below `/partner/:programId`. */
export function useEnrollment(): Enrollment {
  const enrollment = useContext(EnrollmentContext);
  if (enrollment === null) throw new Error('useEnrollment needs a page of a program');
  return enrollment;
}

/** The programs of all partners. Programs that pay the partner come first. */
export function enrollmentsOf({ partners }: PortalPartners): readonly Enrollment[] {
  const all = partners.flatMap(({ programs, ...partner }) =>
    programs.map(
      (program): Enrollment => ({
        program,
        partner,
        page: `/partner/${program.program_id}`,
        query: { partner_id: partner.id, program_id: program.program_id },
      }),
    ),
  );
  const isApproved = ({ program }: Enrollment) => program.status === 'approved';
  return [...all.filter(isApproved), ...all.filter((enrollment) => !isApproved(enrollment))];
}

/**
 * Finds the program that the path names. If the path names none, finds the program that the user looked at
 * last, or else the first one.
 */
export function findEnrollment(
  enrollments: readonly Enrollment[],
  path: string,
): { readonly enrollment: Enrollment | null; readonly isMissing: boolean } {
  const number = /^\/partner\/(\d+)(?:\/|$)/.exec(path)?.[1];
  const find = (id: number | null) => enrollments.find(({ program }) => program.program_id === id);
  if (number === undefined) {
    return { enrollment: find(lastProgram('partner')) ?? enrollments[0] ?? null, isMissing: false };
  }
  const enrollment = find(Number(number)) ?? null;
  return { enrollment, isMissing: enrollment === null };
}

/** Whether the enrollment is pending or rejected, and has neither clicks nor balances to show. */
export function isNotAdmitted({ program }: Enrollment): boolean {
  const { status, clicks, balances } = program;
  return (status === 'pending' || status === 'rejected') && clicks === 0 && balances.length === 0;
}
