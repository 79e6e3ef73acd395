import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { initialChainHead, nextChainHead } from './ledger-chain.ts';

const ENTRY = {
  program_id: 1,
  id: 7,
  scope: 'partner_program',
  partner_id: 3,
  currency: 'USD',
  kind: 'commission',
  debit_account: 'advertiser_cost',
  credit_account: 'partner_payable',
  amount_cents: 400,
  commission_id: 9,
  refund_id: null,
  payout_id: null,
  adjustment_id: null,
  created_at: 1_771_934_400_000,
};

test('hashes exactly the documented bytes', () => {
  const sha256 = (text: string) => createHash('sha256').update(Buffer.from(text, 'utf8')).digest('hex');
  const first = sha256('affkit-ledger:1');
  expect(initialChainHead(1)).toEqual({ position: 0, hash: first });
  const said =
    '[1,7,"partner_program",3,"USD","commission","advertiser_cost","partner_payable",400,9,null,null,null,1771934400000]';
  expect(nextChainHead(initialChainHead(1), ENTRY)).toEqual({
    position: 1,
    hash: sha256(`${first}\n${said}`),
  });
});

test('the hashes stay the same across releases', () => {
  expect(initialChainHead(1).hash).toBe('9c70d3b6a7114df6f1a25742c0bb7b6474e01b44f0da09b94706052c6e94232c');
  expect(nextChainHead(initialChainHead(1), ENTRY).hash).toBe(
    '6c94fc881cbfe641feea25a5445b25edb0b8387285c1f807bfdf8ae184f42336',
  );
});

test('a change of any field or of the previous hash changes the hash', () => {
  const head = initialChainHead(1);
  const { hash } = nextChainHead(head, ENTRY);
  for (const [field, value] of Object.entries(ENTRY)) {
    const other = typeof value === 'number' ? value + 1 : `${value ?? 1}x`;
    expect(nextChainHead(head, { ...ENTRY, [field]: other }).hash, field).not.toBe(hash);
  }
  expect(nextChainHead(initialChainHead(2), ENTRY).hash).not.toBe(hash);
});
