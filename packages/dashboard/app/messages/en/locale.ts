/** The locale of numbers, amounts and dates. */
export const locale = 'en';
