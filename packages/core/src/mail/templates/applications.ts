import { type Letter, toOneLine } from '../letter.ts';
import { type InvitationLink, invitationUrl } from './invitations.ts';
import { greet, plural, utcTime } from './phrases.ts';

/**
 * Tells an applicant that the application has arrived. The address may belong to somebody else, so the email
 * contains no text of the applicant.
 */
export function applicationReceivedMail({ programName }: { readonly programName: string }): Letter {
  const program = toOneLine(programName);
  return {
    subject: `Your application to ${program}`,
    greeting: greet(null),
    paragraphs: [
      `${program} has received an application to its partner program with your email address.`,
      'You will get another email when your application has been reviewed.',
    ],
    notes: ['If you did not apply, ignore this email.'],
  };
}

/**
 * Sends the link that confirms an applicant's email address. The email contains no text of the applicant,
 * because the address may belong to somebody else.
 */
export function addressConfirmationMail(confirmation: {
  readonly programName: string;
  readonly url: string;
  readonly expiresAt: number;
}): Letter {
  const program = toOneLine(confirmation.programName);
  return {
    subject: `Confirm your email address for ${program}`,
    greeting: greet(null),
    paragraphs: [
      `${program} has received an application to its partner program with your email address. To complete the application, confirm your address.`,
    ],
    button: { label: 'Confirm your address', url: confirmation.url },
    notes: [
      `The link works until ${utcTime(confirmation.expiresAt)}.`,
      'If you did not apply, ignore this email.',
    ],
  };
}

/**
 * @param approval `name` is null if the email address was not confirmed; `invitation` is null if the partner
 * has an account
 */
export function applicationApprovedMail(approval: {
  readonly name: string | null;
  readonly programName: string;
  readonly dashboardUrl: string;
  /** The URL of the partner's pages about the program, without a trailing slash. */
  readonly portalUrl: string;
  readonly invitation: InvitationLink | null;
}): Letter {
  const program = toOneLine(approval.programName);
  const { invitation, dashboardUrl } = approval;
  const letter = {
    subject: `Welcome to the partner program of ${program}`,
    greeting: greet(approval.name),
  };
  if (invitation === null) {
    return {
      ...letter,
      paragraphs: [`${program} has approved your application. Your link works now.`],
      button: { label: 'Get your link', url: `${approval.portalUrl}/links` },
      notes: [],
    };
  }
  return {
    ...letter,
    paragraphs: [
      `${program} has approved your application. Create your account to get your link, and to see your clicks, commissions, and payouts.`,
    ],
    button: { label: 'Create your account', url: invitationUrl(dashboardUrl, invitation) },
    notes: [
      `The link is for you only. It works once, until ${utcTime(invitation.expiresAt)}. If you already have an account with this email address, open the link and sign in to that account.`,
    ],
  };
}

export function applicationRejectedMail(rejection: {
  readonly name: string;
  readonly programName: string;
  /** The text that the advertiser wrote, or null. */
  readonly reason: string | null;
}): Letter {
  const program = toOneLine(rejection.programName);
  const because = rejection.reason === null ? '.' : ', for this reason:';
  return {
    subject: `Your application to ${program}`,
    greeting: greet(rejection.name),
    paragraphs: [`${program} has not accepted your application to its partner program${because}`],
    quote: rejection.reason,
    notes: [],
  };
}

/** Tells a member how many applications wait for a decision. */
export function reviewTaskMail(task: {
  readonly name: string;
  readonly programName: string;
  readonly waiting: number;
  readonly url: string;
}): Letter {
  const program = toOneLine(task.programName);
  return {
    subject: `${plural(task.waiting, 'application', 'applications')} to review: ${program}`,
    greeting: greet(task.name),
    paragraphs: [
      `${plural(task.waiting, 'application', 'applications')} to the partner program of ${program} ${task.waiting === 1 ? 'needs' : 'need'} your decision.`,
    ],
    button: { label: 'Review', url: task.url },
    notes: [],
  };
}

/** The open tasks of a program. */
export interface WaitingTasks {
  readonly programName: string;
  readonly applications: number;
  readonly payouts: number;
}

/** A weekly list of the open tasks of a workspace. */
export function reviewDigestMail(digest: {
  readonly name: string;
  readonly workspaceName: string;
  readonly programs: readonly WaitingTasks[];
  readonly url: string;
}): Letter {
  const workspace = toOneLine(digest.workspaceName);
  return {
    subject: `Your open tasks at ${workspace}`,
    greeting: greet(digest.name),
    paragraphs: [`These tasks at ${workspace} need you:`],
    facts: digest.programs.map(({ programName, applications, payouts }) => [
      toOneLine(programName),
      [
        ...(applications === 0
          ? []
          : [plural(applications, 'application to review', 'applications to review')]),
        ...(payouts === 0 ? [] : [plural(payouts, 'payout to pay', 'payouts to pay')]),
      ].join(', '),
    ]),
    button: { label: 'Open the dashboard', url: digest.url },
    notes: [],
  };
}
