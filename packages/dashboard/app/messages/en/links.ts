import { isolate } from '../../format/isolate.ts';
export const search = 'Search links';
export const searchExample = 'Code or partner';
export const noMatch = 'No links match these filters.';
export const none = 'No links yet. Each partner gets a link when you invite them.';
export const erased = 'Erased';
export const lastClick = 'Last click';
/** The reason why an active link records no clicks, for each status of its partner. */
export const partnerIs = {
  pending: 'Partner pending',
  rejected: 'Partner rejected',
  banned: 'Partner banned',
} as const;

export const create = 'Create a link';
export const createFor = (name: string): string => `Create a link for ${isolate(name)}`;
export const partnerExample = 'Name or email';
export const code = 'Code (optional)';
export const codeHint =
  'The end of the link, such as SPRING. If empty, Affkit generates a code. You cannot change the code later.';
export const codeWrong = 'Enter 2 to 64 characters: letters, digits, hyphens, or underscores.';
export const lost =
  'No reply arrived, so the link may have been created. Look for it in the list before you try again.';
export const ready = 'The link is ready';
export const partnerLink = 'Partner link';

export const copy = 'Copy the link';
export const copyOf = (code: string): string => `Copy the link ${code}`;
export const copied = 'Copied the link.';
export const activate = 'Activate';
export const deactivate = 'Deactivate';

/** The message after a change of a status, for each new status. */
export const isNow = {
  active: (code: string): string => `${code} records clicks again.`,
  inactive: (code: string): string => `${code} no longer records clicks.`,
} as const;

export const qrCode = 'QR code';
export const qrTitle = (code: string): string => `QR code of ${code}`;
export const qrText = (url: string): string => `QR code that opens ${url}`;
export const downloadSvg = 'Download SVG';
