export const title = (name: string): string => `Reject ${name}?`;
export const reasonLabel = 'Reason (optional)';
export const reasonHint = 'The partner sees this reason. At most 500 characters.';
