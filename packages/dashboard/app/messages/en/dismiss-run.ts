export const dismiss = 'Not this month';
export const title = (month: string): string => `Create no payouts for ${month}?`;
export const warning =
  'The amounts remain payable. You can still pay them with “Pay partners”, and the next proposal includes them.';
export const dismissed = (month: string): string => `No payouts are created for ${month}.`;
