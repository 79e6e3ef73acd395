import { lowerAscii } from './lower-ascii.ts';

export interface Question {
  readonly id: string;
  readonly label: string;
  readonly type: 'text' | 'long_text' | 'url' | 'number' | 'choice' | 'checkbox';
  readonly required: boolean;
  /** The answers to choose from, for a question of type `choice`. */
  readonly options?: readonly string[];
}

/** An answer. It includes the question, because the advertiser can change the question later. */
export interface Answer extends Pick<Question, 'label' | 'type'> {
  readonly question: string;
  readonly answer: string;
}

/** The rule that approves an application without a review. */
export type ApprovalRule = 'email_domain' | 'invitation_code';

const MAX_LINE_LENGTH = 255;
const MAX_URL_LENGTH = 2048;

/**
 * Checks the answers of an application. Surrounding spaces are removed, and empty answers count as absent.
 * @returns the answers in the order of the questions, or the message for the first answer that is not valid
 */
export function checkAnswers(
  questions: readonly Question[],
  given: readonly { readonly question: string; readonly answer: string }[],
): { readonly answers: readonly Answer[] } | { readonly fault: string } {
  const byQuestion = new Map(given.map(({ question, answer }) => [question, answer.trim()]));
  if (byQuestion.size < given.length)
    return { fault: 'answers must contain at most one answer to each question' };
  const isKnown = (id: string) => questions.some((question) => question.id === id);
  if (!given.every(({ question }) => isKnown(question))) {
    return {
      fault:
        'answers contains an answer to a question that the program does not ask. Load the program again.',
    };
  }
  const answers: Answer[] = [];
  for (const { id, label, type, required, options = [] } of questions) {
    const answer = byQuestion.get(id) ?? '';
    if (answer === '') {
      if (required) return { fault: `The question "${label}" must be answered` };
      continue;
    }
    const requirement = requirementOf(type, answer, options);
    if (requirement !== null) return { fault: `The answer to "${label}" must be ${requirement}` };
    answers.push({ question: id, label, type, answer });
  }
  return { answers };
}

/** Returns the requirement that the answer does not meet, or null if the answer is valid. */
function requirementOf(type: Question['type'], answer: string, options: readonly string[]): string | null {
  switch (type) {
    case 'text':
      if (answer.length > MAX_LINE_LENGTH) return `at most ${MAX_LINE_LENGTH} characters`;
      return /[\r\n]/.test(answer) ? 'a single line' : null;
    case 'long_text':
      return null;
    case 'url':
      return isWebAddress(answer) ? null : 'an http or https URL such as https://blog.example';
    case 'number':
      return /^-?\d{1,15}(?:\.\d{1,6})?$/.test(answer) ? null : 'a number such as 1500';
    case 'choice':
      return options.includes(answer) ? null : 'one of its options';
    case 'checkbox':
      return answer === 'yes' ? null : 'yes';
  }
}

/** Whether the text is an http or https URL. Only such a URL is safe to show as a link. */
function isWebAddress(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/**
 * Finds the rule that approves an application without a review. An invitation code takes precedence over an
 * email domain.
 */
export function findApprovalRule(
  rules: { readonly autoApproveDomains: readonly string[]; readonly invitationCodes: readonly string[] },
  application: { readonly email: string; readonly invitationCode: string | null },
): ApprovalRule | null {
  const { email, invitationCode } = application;
  if (invitationCode !== null && rules.invitationCodes.includes(invitationCode)) return 'invitation_code';
  const domain = lowerAscii(email.slice(email.lastIndexOf('@') + 1));
  return rules.autoApproveDomains.includes(domain) ? 'email_domain' : null;
}
