export const search = 'Search links';
export const searchExample = 'Code or partner';
export const noMatch = 'No link matches these filters.';
export const none = 'No links yet. Each partner whom you invite gets one.';
export const erased = 'Erased';
export const lastClick = 'Last click';
export const partnerWaits = 'Waiting for approval';

export const create = 'Create a link';
export const createFor = (name: string): string => `Create a link for ${name}`;
export const partnerExample = 'Name or email';
export const code = 'Code (optional)';
export const codeHint =
  'The last part of the link, such as SPRING. Without one, Affkit generates it. It cannot be changed later.';
export const codeWrong = 'Use 2 to 64 letters, digits, hyphens, and underscores.';
export const ready = 'The link is ready';
export const partnerLink = 'Partner link';

export const copy = 'Copy the link';
export const copyOf = (code: string): string => `Copy the link ${code}`;
export const copied = 'Copied the link.';
export const activate = 'Activate';
export const deactivate = 'Deactivate';

/** The text for each new status. */
export const isNow = {
  active: (code: string): string => `${code} records clicks again.`,
  inactive: (code: string): string => `${code} no longer records clicks.`,
} as const;

export const qrCode = 'QR code';
export const qrTitle = (code: string): string => `QR code of ${code}`;
export const qrText = (url: string): string => `QR code that opens ${url}`;
export const downloadSvg = 'Download SVG';
