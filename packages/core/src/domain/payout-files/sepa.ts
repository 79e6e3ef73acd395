import { nextBankingDay } from '../banking-day.ts';
import { isoTime } from '../calendar.ts';
import { formatMajorUnits } from '../money.ts';
import { itemReference, type PayoutFileInput } from './payout-file.ts';
import { sepaText } from './sepa-text.ts';

const MAX_NAME = 70;
const MAX_REMITTANCE = 140;

/**
 * A customer credit transfer in the format pain.001.001.09 of ISO 20022. As the European Payments Council
 * requires, charges are shared (`SLEV`), and the service level is `SEPA`. The requested payment day is the first
 * banking day after the first download, because banks reject past days and days on which they are closed.
 */
export function renderSepa(batch: PayoutFileInput): string {
  const { id, programId, currency, createdAt, downloadedAt, debtor, items } = batch;
  if (debtor === null) throw new Error(`Batch ${id} has no account to pay from`);
  const messageId = `AFFKIT-${programId}-${id}`;
  const debtorName = sepaText(debtor.name, MAX_NAME) ?? '';
  const sum = formatMajorUnits(
    items.reduce((total, { amountCents }) => total + amountCents, 0),
    currency,
  );
  const totals = `<NbOfTxs>${items.length}</NbOfTxs><CtrlSum>${sum}</CtrlSum>`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>',
    `<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${isoTime(createdAt).slice(0, 19)}</CreDtTm>${totals}<InitgPty>${named(debtorName)}</InitgPty></GrpHdr>`,
    `<PmtInf><PmtInfId>${messageId}</PmtInfId><PmtMtd>TRF</PmtMtd>${totals}<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>`,
    `<ReqdExctnDt><Dt>${isoTime(nextBankingDay(downloadedAt)).slice(0, 10)}</Dt></ReqdExctnDt>`,
    `<Dbtr>${named(debtorName)}</Dbtr><DbtrAcct>${account(debtor.iban)}</DbtrAcct><DbtrAgt>${bank(debtor.bic)}</DbtrAgt><ChrgBr>SLEV</ChrgBr>`,
    ...items.map((item) => renderTransfer(batch, item)),
    '</PmtInf></CstmrCdtTrfInitn></Document>',
  ];
  return `${lines.join('\n')}\n`;
}

function renderTransfer(
  batch: PayoutFileInput,
  { payoutId, amountCents, details }: PayoutFileInput['items'][number],
): string {
  const { id, currency, programName } = batch;
  const reference = itemReference(id, payoutId);
  const remittance = [reference, sepaText(programName, MAX_REMITTANCE - reference.length - 1)];
  return [
    `<CdtTrfTxInf><PmtId><EndToEndId>${reference}</EndToEndId></PmtId>`,
    `<Amt><InstdAmt Ccy="${currency}">${formatMajorUnits(amountCents, currency)}</InstdAmt></Amt>`,
    details.bic === null ? '' : `<CdtrAgt>${bank(details.bic)}</CdtrAgt>`,
    `<Cdtr>${named(sepaText(details.account_holder ?? '', MAX_NAME) ?? '')}</Cdtr>`,
    `<CdtrAcct>${account(details.iban ?? '')}</CdtrAcct>`,
    `<RmtInf><Ustrd>${escapeXml(remittance.filter((part) => part !== null).join(' '))}</Ustrd></RmtInf></CdtTrfTxInf>`,
  ].join('');
}

function named(name: string): string {
  return `<Nm>${escapeXml(name)}</Nm>`;
}

function account(iban: string): string {
  return `<Id><IBAN>${iban}</IBAN></Id>`;
}

function bank(bic: string | null): string {
  const id = bic === null ? '<Othr><Id>NOTPROVIDED</Id></Othr>' : `<BICFI>${bic}</BICFI>`;
  return `<FinInstnId>${id}</FinInstnId>`;
}

/** The apostrophe is the only character in a result of `sepaText` that XML must escape. */
function escapeXml(text: string): string {
  return text.replaceAll("'", '&apos;');
}
