import { isolate } from '../../format/isolate.ts';
export const title = (name: string): string => `Reject ${isolate(name)}?`;
export const reasonLabel = 'Reason (optional)';
export const reasonHint = 'The partner sees this reason. At most 500 characters.';
