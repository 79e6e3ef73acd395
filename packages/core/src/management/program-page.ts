import type { updateProgramPageRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findProgramPage, type ProgramPage, saveProgramPage } from '../storage/programs/program-pages.ts';
import { lockProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';

export type ProgramPageChange = z.output<typeof updateProgramPageRequest>;

/** Changes settings of the program's public page. Missing settings do not change. */
export function changeProgramPage(
  runtime: Runtime,
  program: ProgramAccount,
  change: ProgramPageChange,
): Promise<ProgramPage | Rejection> {
  return runtime.engine.write(program.workspaceId, async (tx) => {
    if (!(await lockProgram(tx, program.id))) return new Rejection('program_not_found');
    const before = await findProgramPage(tx.db, program.id);
    const after = applyChange(before, change);
    await saveProgramPage(tx, program.id, after);
    const haveCodesChanged = after.invitationCodes.join('\n') !== before.invitationCodes.join('\n');
    await recordChange(tx, runtime, {
      workspaceId: program.workspaceId,
      programId: program.id,
      action: 'program.update_page',
      subjectId: program.id,
      before: auditStateOf(before),
      after: { ...auditStateOf(after), ...(haveCodesChanged && { changed_fields: ['invitation_codes'] }) },
    });
    return after;
  });
}

function applyChange(page: ProgramPage, change: ProgramPageChange): ProgramPage {
  const orBefore = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value);
  return {
    isPublished: orBefore(change.published, page.isPublished),
    description: orBefore(change.description, page.description),
    terms: orBefore(change.terms, page.terms),
    logo: orBefore(change.logo, page.logo),
    accentColor: orBefore(change.accent_color, page.accentColor),
    questions: orBefore<ProgramPage['questions']>(change.questions?.map(toQuestion), page.questions),
    embedOrigins: orBefore(change.embed_origins, page.embedOrigins),
    autoApproveDomains: orBefore(change.auto_approve_domains, page.autoApproveDomains),
    invitationCodes: orBefore(change.invitation_codes, page.invitationCodes),
  };
}

function toQuestion({
  options,
  ...question
}: NonNullable<ProgramPageChange['questions']>[number]): ProgramPage['questions'][number] {
  return options === undefined ? question : { ...question, options };
}

/** Returns the settings with the field names of replies. */
export function programPageStateOf(page: ProgramPage) {
  return {
    published: page.isPublished,
    description: page.description,
    terms: page.terms,
    logo: page.logo,
    accent_color: page.accentColor,
    questions: page.questions,
    embed_origins: page.embedOrigins,
    auto_approve_domains: page.autoApproveDomains,
    invitation_codes: page.invitationCodes,
  };
}

/**
 * Returns the settings for the audit log. The bytes of the logo are excluded, because the log would keep a copy
 * for every change. The invitation codes are excluded, because a reader of the log could use them.
 */
function auditStateOf(page: ProgramPage) {
  const { logo, ...state } = programPageStateOf(page);
  return {
    ...state,
    invitation_codes: page.invitationCodes.length,
    logo: logo === null ? null : `${logo.slice(5, logo.indexOf(';'))}, ${logo.length} characters`,
  };
}
