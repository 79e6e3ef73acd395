import { confirm as ask, isCancel } from '@clack/prompts';

/** Asks a question in the terminal. Returns true only if the user answers yes, and false if the user cancels. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await ask({ message: question, initialValue: false });
  return !isCancel(answer) && answer;
}
