import { isolate } from '../../format/isolate.ts';
export const partnerOf = 'Partner of';
/** @param name the name that the advertiser has given the partner */
export const knownAs = (name: string, email: string): string => `as ${isolate(name)}, ${email}`;

export const openDetails = 'Open your payout details';
export const yourData = 'Your data';
export const exportText =
  'One file with all data that the service stores about you: account, programs, applications, links, commissions, payouts, and notifications.';
export const exportData = 'Download your data';
