import { roleAllows } from '../access/permission.ts';
import { reviewDigestMail, reviewTaskMail } from '../mail/templates/applications.ts';
import { listWaitingTasks } from '../storage/accounts/email-schedules.ts';
import { findMemberByEmail, type Member } from '../storage/accounts/members.ts';
import { findWorkspaceName } from '../storage/accounts/users.ts';
import { countPendingPartners } from '../storage/programs/partners.ts';
import { findAccentColor } from '../storage/programs/program-pages.ts';
import { findProgram } from '../storage/programs/programs.ts';
import type { EmailJob, WrittenEmail } from './written-email.ts';

export async function writeReviewTask(job: EmailJob): Promise<WrittenEmail | null> {
  const { tx, mail, row } = job;
  const program = row.program_id === null ? null : await findProgram(tx.db, row.program_id);
  const reviewer = await findReviewer(job);
  if (program === null || reviewer === null) return null;
  const waiting = await countPendingPartners(tx.db, program.id);
  if (waiting === 0) return null;
  const url = `${mail.dashboardUrl}/p/${program.id}/partners?status=pending`;
  return {
    letter: reviewTaskMail({ name: reviewer.name, programName: program.name, waiting, url }),
    senderName: program.name,
    recipientName: reviewer.name,
    accentColor: await findAccentColor(tx.db, program.id),
  };
}

export async function writeReviewDigest(job: EmailJob): Promise<WrittenEmail | null> {
  const { tx, mail, row } = job;
  const reviewer = await findReviewer(job);
  if (reviewer === null || row.workspace_id === null) return null;
  const programs = await listWaitingTasks(tx.db, row.workspace_id);
  if (programs.length === 0) return null;
  const workspaceName = await findWorkspaceName(tx.db, row.workspace_id);
  const { name } = reviewer;
  return {
    letter: reviewDigestMail({ name, workspaceName, programs, url: `${mail.dashboardUrl}/` }),
    senderName: workspaceName,
    recipientName: name,
  };
}

/** @returns null when the recipient is no longer a member, or may not decide about partners */
async function findReviewer({ tx, row }: EmailJob): Promise<Member | null> {
  const { workspace_id: workspaceId, recipient } = row;
  const member = workspaceId === null ? null : await findMemberByEmail(tx.db, workspaceId, recipient);
  return member && member.userId !== null && roleAllows(member.role, 'partner:update') ? member : null;
}
