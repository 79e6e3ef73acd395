import type { UpdateProgramPageRequest } from '@affkit/protocol';
import type { ProgramPage } from '../../api/types.ts';
import { changedFields } from '../../ui/unsaved.ts';

export type QuestionType = ProgramPage['questions'][number]['type'];

/** A question in the form. */
export interface QuestionDraft {
  readonly id: string;
  readonly label: string;
  readonly type: QuestionType;
  readonly required: boolean;
  /** Each line is an option. */
  readonly options: string;
}

/** The settings of the page in the form. A list is a text with one entry per line. */
export interface PageDraft {
  readonly published: boolean;
  readonly description: string;
  readonly terms: string;
  readonly logo: string | null;
  readonly accent_color: string | null;
  readonly questions: readonly QuestionDraft[];
  readonly embed_origins: string;
  readonly auto_approve_domains: string;
  readonly invitation_codes: string;
}

export function pageDraftOf(page: ProgramPage): PageDraft {
  return {
    published: page.published,
    description: page.description ?? '',
    terms: page.terms ?? '',
    logo: page.logo,
    accent_color: page.accent_color,
    questions: page.questions.map(({ options = [], ...question }) => ({
      ...question,
      options: options.join('\n'),
    })),
    embed_origins: page.embed_origins.join('\n'),
    auto_approve_domains: page.auto_approve_domains.join('\n'),
    invitation_codes: page.invitation_codes.join('\n'),
  };
}

/**
 * Returns the body of a request that changes the stored page. It contains only changed settings, so that it does not
 * overwrite the changes of another user.
 */
export function pageBodyOf(draft: PageDraft, stored: ProgramPage): UpdateProgramPageRequest {
  return changedFields(bodyOf(draft), bodyOf(pageDraftOf(stored)));
}

function bodyOf(draft: PageDraft): UpdateProgramPageRequest {
  const textOrNull = (text: string) => (text.trim() === '' ? null : text.trim());
  return {
    published: draft.published,
    description: textOrNull(draft.description),
    terms: textOrNull(draft.terms),
    logo: draft.logo,
    accent_color: draft.accent_color,
    questions: draft.questions.map(({ options, label, ...question }) => ({
      ...question,
      label: label.trim(),
      ...(question.type === 'choice' && { options: linesOf(options) }),
    })),
    embed_origins: linesOf(draft.embed_origins),
    auto_approve_domains: linesOf(draft.auto_approve_domains),
    invitation_codes: linesOf(draft.invitation_codes),
  };
}

/** Returns the non-empty lines of a text. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Returns a new question with an unused id. */
export function newQuestion(questions: readonly QuestionDraft[]): QuestionDraft {
  const ids = new Set(questions.map(({ id }) => id));
  let number = questions.length + 1;
  while (ids.has(`question_${number}`)) number += 1;
  return { id: `question_${number}`, label: '', type: 'text', required: false, options: '' };
}

/** Whether the question has everything that is required. The server checks the rest. */
export function isComplete({ label, type, options }: QuestionDraft): boolean {
  return label.trim() !== '' && (type !== 'choice' || linesOf(options).length > 0);
}
