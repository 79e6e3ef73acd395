import { type Mailer, type MailMessage, MailRefused } from '../../src/mail/mailer.ts';

/** A mailer that stores the emails that it accepts. Each test decides which emails to accept. */
export interface TestMailer extends Mailer {
  readonly accepted: MailMessage[];
  /** Called before an email is accepted. If this function throws, the mailer refuses the email. */
  onSend: (message: MailMessage) => void | Promise<void>;
  /** The last accepted email to the address. */
  lastTo(address: string): MailMessage;
}

export function createTestMailer(): TestMailer {
  const accepted: MailMessage[] = [];
  const mailer: TestMailer = {
    from: { address: 'affiliates@shop.example', name: 'Tea Shop affiliates' },
    accepted,
    onSend: () => {},
    send: async (message) => {
      await mailer.onSend(message);
      accepted.push(message);
    },
    lastTo: (address) => {
      const message = accepted.findLast(({ to }) => to.address === address);
      if (message === undefined) throw new Error(`No email to ${address}`);
      return message;
    },
  };
  return mailer;
}

export function refuse(): never {
  throw new MailRefused('550 5.1.1 No such mailbox');
}

/** Returns the code or token in the link of an email. */
export function linkCodeIn(message: MailMessage): string {
  return /#(aff[ir]_[0-9A-Za-z]{36})/.exec(message.text)?.[1] ?? '';
}
