/** Of numbers, amounts and dates. */
export const locale = 'en';
