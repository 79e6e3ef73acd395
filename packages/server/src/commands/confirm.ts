import { confirm as ask, isCancel } from '@clack/prompts';

/** Asks a yes-or-no question in the terminal. Returns false if the user answers no or cancels. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await ask({ message: question, initialValue: false });
  return !isCancel(answer) && answer;
}
