import { isIP } from 'node:net';
import { z } from 'zod';

/** Parses `TRUST_PROXY`. */
export const trustProxy = z.string().transform((text, context): number | readonly string[] | false => {
  if (['0', 'off', 'false'].includes(text)) return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const ranges = text.split(',').map((range) => range.trim());
  if (ranges.every(isAddressRange)) return ranges;
  // `true` is rejected, because it would let clients forge their own address.
  context.addIssue(
    'must be the number of proxies in front of the server or a comma-separated list of their addresses, ' +
      'such as 10.0.0.0/8',
  );
  return z.NEVER;
});

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return bits >= 1 && bits <= (family === 4 ? 32 : 128);
}
