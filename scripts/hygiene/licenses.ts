import type { InstalledPackage } from './installed.ts';

/** Matches all versions of the licenses that would also apply to code that embeds Affkit. */
const REFUSED = /^(AGPL|GPL|LGPL|SSPL)(-|$)/i;
const IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9.-]*\+?$/;

/** Returns a message for each package whose license is missing, not allowed, or not a valid SPDX expression. */
export function findLicenseProblems(
  packages: readonly Pick<InstalledPackage, 'name' | 'version' | 'license'>[],
): string[] {
  return packages.flatMap(({ name, version, license }) => {
    if (license === undefined) return [`${name}@${version} has no license`];
    const verdict = judgeLicense(license);
    if (verdict === 'allowed') return [];
    const reason = verdict === 'refused' ? 'is not allowed' : 'is not a valid SPDX expression';
    return [`${name}@${version}: the license "${license}" ${reason}`];
  });
}

/**
 * Evaluates an SPDX expression. For `OR`, a single allowed part is enough. For `AND`, all parts must be
 * allowed. `AND` binds tighter than `OR`. An exception (`WITH`) is ignored.
 */
export function judgeLicense(expression: string): 'allowed' | 'refused' | 'unreadable' {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let position = 0;
  let isReadable = true;

  const take = (wanted: string): boolean => {
    if (tokens[position]?.toUpperCase() !== wanted) return false;
    position += 1;
    return true;
  };
  const identifier = (): string => {
    const token = tokens[position] ?? '';
    position += 1;
    isReadable &&= IDENTIFIER.test(token) && !/^(AND|OR|WITH)$/i.test(token);
    return token;
  };
  const single = (): boolean => {
    if (take('(')) {
      const isAllowed = alternatives();
      isReadable &&= take(')');
      return isAllowed;
    }
    const license = identifier();
    if (take('WITH')) identifier();
    return !REFUSED.test(license);
  };
  const together = (): boolean => {
    let isAllowed = single();
    while (take('AND')) isAllowed = single() && isAllowed;
    return isAllowed;
  };
  const alternatives = (): boolean => {
    let isAllowed = together();
    while (take('OR')) isAllowed = together() || isAllowed;
    return isAllowed;
  };

  const isAllowed = alternatives();
  if (!isReadable || position !== tokens.length || expression === 'UNLICENSED') return 'unreadable';
  return isAllowed ? 'allowed' : 'refused';
}
