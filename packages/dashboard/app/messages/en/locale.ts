/** The locale for numbers, amounts and dates. */
export const locale = 'en';
