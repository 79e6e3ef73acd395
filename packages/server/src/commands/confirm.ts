import { confirm as ask, isCancel } from '@clack/prompts';

/** Asks a question in the terminal. Only an explicit yes counts. */
export async function confirm(question: string): Promise<boolean> {
  const answer = await ask({ message: question, initialValue: false });
  return !isCancel(answer) && answer;
}
