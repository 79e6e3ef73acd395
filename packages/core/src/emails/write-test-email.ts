import { toOneLine } from '../mail/letter.ts';
import { findWorkspaceName } from '../storage/accounts/users.ts';
import { findAccentColor } from '../storage/programs/program-pages.ts';
import { findProgram } from '../storage/programs/programs.ts';
import type { EmailData } from './email-data.ts';
import { sampleLetter } from './samples.ts';
import type { EmailJob, WrittenEmail } from './written-email.ts';

export async function writeTest(
  { tx, runtime, mail, row }: EmailJob,
  { template }: EmailData['test'],
): Promise<WrittenEmail | null> {
  const program = row.program_id === null ? null : await findProgram(tx.db, row.program_id);
  if (program === null) return null;
  const letter = sampleLetter(template, {
    programName: program.name,
    workspaceName: await findWorkspaceName(tx.db, program.workspaceId),
    urls: mail,
    now: runtime.now(),
  });
  return {
    letter: { ...letter, subject: `Test: ${toOneLine(letter.subject, 200)}` },
    senderName: program.name,
    recipientName: null,
    accentColor: await findAccentColor(tx.db, program.id),
  };
}
