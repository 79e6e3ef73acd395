import { PARTNER_PARAM } from '@affkit/protocol';
import { Rejection } from '../rejection.ts';

const MAX_PARTNER_CODE_LENGTH = 255;

/**
 * Reads the referral code of a landing URL: its first non-empty `aff` parameter.
 *
 * @returns the code, or a `Rejection` when the text is not an absolute http or https URL, or when the URL has no
 * valid code
 */
export function readPartnerCode(affiliateUrl: string): string | Rejection {
  let url: URL;
  try {
    url = new URL(affiliateUrl);
  } catch {
    return new Rejection('invalid_affiliate_url');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return new Rejection('invalid_affiliate_url');
  const partnerCode = findPartnerCode(url);
  if (partnerCode === undefined) return new Rejection('aff_parameter_missing');
  if (partnerCode.length > MAX_PARTNER_CODE_LENGTH || partnerCode.includes('\0')) {
    return new Rejection('referral_link_not_found');
  }
  return partnerCode;
}

/** Finds the first non-empty `aff` parameter of a URL. Does not check whether the value is a valid code. */
export function findPartnerCode(url: URL): string | undefined {
  return url.searchParams.getAll(PARTNER_PARAM).find((partnerCode) => partnerCode !== '');
}
