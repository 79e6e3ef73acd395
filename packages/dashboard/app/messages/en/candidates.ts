import { isolate } from '../../format/isolate.ts';

export const candidates = 'Policies checked';
export const applied = 'Applied';
/** The reason why a policy was not chosen, for each verdict. */
export const lostBecause: Readonly<Record<string, string>> = {
  less_specific: 'Another policy is more specific.',
  other_product: 'This policy is for another product.',
  other_partner: 'This policy is for another partner.',
  replaced: 'The draft replaces this policy.',
};
export const perSale = (amount: string): string => `${amount} per sale`;
/** @param partner the name of the partner, if the policy is for a single partner */
export const policyScope = (policy: number | null, product: string | null, partner: string | null): string =>
  `${policy === null ? 'Draft' : `Policy ${policy}`}: ${product === null ? 'all products' : `product ${isolate(product)}`}, ${partner === null ? 'all partners' : isolate(partner)}`;
