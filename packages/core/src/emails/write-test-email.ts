import { toOneLine } from '../mail/letter.ts';
import { findProgram } from '../storage/programs/programs.ts';
import type { EmailData } from './email-data.ts';
import { readSampleContext, writeSampleEmail } from './samples.ts';
import type { EmailJob, WrittenEmail } from './written-email.ts';

export async function writeTest(
  { tx, runtime, row }: EmailJob,
  { template }: EmailData['test'],
): Promise<WrittenEmail | null> {
  const program = row.program_id === null ? null : await findProgram(tx.db, row.program_id);
  if (program === null) return null;
  const sample = writeSampleEmail(template, await readSampleContext(tx.db, runtime, program));
  const { letter } = sample;
  return { ...sample, letter: { ...letter, subject: `Test: ${toOneLine(letter.subject, 200)}` } };
}
