import { isolate } from '../../format/isolate.ts';
// Texts of the partner portal that several of its pages share.

export const earnings = 'Earnings';
/** Title of sums that do not change when a customer gets money back. */
export const earnedBeforeRefunds = 'Earned before refunds';
export const you = 'You';
export const payoutDetails = 'Payout details';

export const noProgramTitle = 'Partner portal';
export const noProgram =
  'You are not in a partner program yet. Apply on the page of a program, or ask its owner for an invitation.';
export const toAdvertiserPages = 'Go to the advertiser pages';
/** @param email the address that gets an email about the decision, or null if the service sends no emails */
export const waiting = (program: string, email: string | null): string =>
  `${isolate(program)} is reviewing your application.${email === null ? '' : ` You will get an email at ${email}.`} After approval, your links appear here.`;
export const rejected = (program: string): string => `${isolate(program)} did not accept your application.`;
export const reason = (text: string): string => `Reason: ${isolate(text)}`;
/** The text for each status of an enrollment that earns nothing. */
export const notEarning = (program: string): Readonly<Record<'pending' | 'rejected' | 'banned', string>> => ({
  pending: `${isolate(program)} is reviewing your enrollment. Your links earn no commissions until it is approved.`,
  rejected: `${isolate(program)} ended your enrollment. Your links no longer earn commissions. Your earnings and payouts stay visible here.`,
  banned: `${isolate(program)} has banned you. Your links no longer earn commissions. Your earnings and payouts stay visible here.`,
});

export const menuField = 'Page, program, or action';
export const menuNone = 'No page or program has this name.';
export const createLink = 'Create a link';
