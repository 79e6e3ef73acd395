import type { applicationRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { checkFormToken } from '../access/form-token.ts';
import { countAttempt } from '../access/login-attempt.ts';
import { acceptedApplicationSubject, applicantSubject } from '../access/login-limit.ts';
import { type Answer, checkAnswers, findApprovalRule } from '../domain/application.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { insertApplication } from '../storage/programs/applications.ts';
import { findOrInsertPartner, insertEnrollment } from '../storage/programs/partners.ts';
import { findPublishedProgram, type PublishedProgram } from '../storage/programs/program-pages.ts';
import { lockProgramShared } from '../storage/programs/programs.ts';
import { announceApplication } from './application-events.ts';
import { completeEnrollment } from './partners.ts';

export interface SentApplication {
  readonly fields: z.output<typeof applicationRequest>;
  /** The IP address of the applicant. Null when unknown. */
  readonly ip: string | null;
}

/**
 * Enrolls an applicant. If the application contains an invitation code of the program, the enrollment is
 * approved. Otherwise, it is pending until the advertiser decides. There is one exception: the program may
 * approve all addresses in the applicant's email domain. The service then sends a link, and approves the
 * enrollment when the applicant confirms the address with the link. If the service sends no email, the
 * advertiser decides in this case too.
 *
 * If the partner is already enrolled, nothing changes. The result is the same in all these cases, so that it does not
 * reveal whether an email address is known.
 *
 * @returns `application_not_verified` if the captcha is not solved or the embedding app rejects the application,
 * `unavailable` if the captcha cannot be checked, `rate_limited` after too many applications from the network or
 * for the program
 */
export async function submitApplication(
  runtime: Runtime,
  slug: string,
  { fields, ip }: SentApplication,
): Promise<'received' | Rejection> {
  const published = await findPublishedProgram(runtime.engine.read, slug);
  if (!published) return new Rejection('program_not_found');
  const { program, page } = published;
  const rejection = checkFormToken(runtime, program.id, fields.form_token);
  if (rejection) return rejection;
  const checked = checkAnswers(page.questions, fields.answers ?? []);
  if ('fault' in checked) return new Rejection('invalid_field', checked.fault);
  if (page.terms !== null && fields.terms_accepted !== true) {
    return new Rejection('invalid_field', 'terms_accepted must be true');
  }
  const sent = await countAttempt(runtime, applicantSubject(runtime.secret, ip));
  if (sent.kind === 'blocked') return tooManyApplications(sent);
  // Only bots fill in the hidden field. The reply must not reveal that a bot was detected.
  if (fields.homepage !== undefined && fields.homepage !== '') return 'received';
  const captchaRejection = await checkCaptcha(runtime, fields.captcha_token);
  if (captchaRejection) return captchaRejection;
  const isVerified = await runtime.verifyApplication({
    program: { id: program.id, slug: program.slug },
    name: fields.name,
    email: fields.email,
    answers: checked.answers,
    captchaToken: fields.captcha_token ?? null,
    ip,
  });
  if (!isVerified) return new Rejection('application_not_verified');
  // Count the application only now. Otherwise, bots that fail the checks above could block everyone else.
  const accepted = await countAttempt(runtime, acceptedApplicationSubject(runtime.secret, program.id));
  if (accepted.kind === 'blocked') return tooManyApplications(accepted);
  return await storeApplication(runtime, published, fields, checked.answers);
}

function tooManyApplications({ retryAfterSeconds }: { readonly retryAfterSeconds: number }): Rejection {
  return new Rejection('rate_limited', undefined, { retryAfterSeconds });
}

const CAPTCHA_RETRY_SECONDS = 60;

/** @returns null if there is no captcha, or if it is solved */
async function checkCaptcha({ captcha }: Runtime, token: string | undefined): Promise<Rejection | null> {
  if (captcha === null) return null;
  if (token === undefined) {
    return new Rejection(
      'application_not_verified',
      'Solve the captcha, and send the application again. The captcha requires JavaScript.',
    );
  }
  const verdict = await captcha.check(token);
  if (verdict === 'passed') return null;
  if (verdict === 'failed') {
    return new Rejection(
      'application_not_verified',
      'The captcha has expired or was not solved. Solve it again, and send the application.',
    );
  }
  return new Rejection('unavailable', 'The captcha could not be checked. Try again in a minute.', {
    retryAfterSeconds: CAPTCHA_RETRY_SECONDS,
  });
}

async function storeApplication(
  runtime: Runtime,
  { program, page }: PublishedProgram,
  fields: SentApplication['fields'],
  answers: readonly Answer[],
): Promise<'received' | Rejection> {
  const { id: programId, workspaceId } = program;
  const invitationCode = fields.invitation_code ?? null;
  const rule = findApprovalRule(page, { email: fields.email, invitationCode });
  // The domain alone does not approve anyone, because anyone can enter the address of another person. Only the
  // owner of the address gets the confirmation link.
  const approvedBy = rule === 'email_domain' ? null : rule;
  const needsConfirmation = rule === 'email_domain' && runtime.mail !== null;
  const status = approvedBy === null ? 'pending' : 'approved';
  const outcome = await transactOrReject(runtime.engine, workspaceId, async (tx) => {
    const at = runtime.now();
    if (!(await lockProgramShared(tx, programId))) return new Rejection('program_not_found');
    const partner = await findOrInsertPartner(
      tx,
      { workspaceId, email: fields.email, name: fields.name },
      at,
    );
    if (!(await insertEnrollment(tx, { programId, partnerId: partner.id, status }, at))) return 'received';
    await insertApplication(
      tx,
      { programId, partnerId: partner.id },
      { answers, invitationCode, approvedBy, appliedAt: at, emailConfirmedAt: null },
    );
    const link = await completeEnrollment(tx, runtime, program, partner, { status, action: 'partner.apply' });
    if (isRejection(link)) return link;
    const next = approvedBy !== null ? 'nothing' : needsConfirmation ? 'confirmation' : 'review';
    await announceApplication(tx, runtime, programId, partner, { kind: 'received', next });
    if (approvedBy !== null) {
      const approval = { kind: 'approved', reason: null, isUnverified: true } as const;
      await announceApplication(tx, runtime, programId, partner, approval);
    }
    return 'received';
  });
  return outcome;
}
