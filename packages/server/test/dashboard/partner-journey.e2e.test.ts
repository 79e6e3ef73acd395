import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../../core/test/support/free-port.ts';
import { createDatabase } from '../../../core/test/support/postgres-server.ts';
import { openSmtpServer, smtpError } from '../smtp-server.ts';
import { expectAccessible, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

const isLong = process.env['AFFKIT_TEST_LONG'] === '1';
const MIA = { name: 'Mia Field', email: 'mia@blog.example', password: 'correct horse battery' };

/** The environment variables of the server for each database. */
const DATABASES: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  SQLite: async () => ({}),
  ...(isLong && {
    Postgres: async () => ({
      DATABASE_URL: await createDatabase(inject('postgresUrl')),
      AFFKIT_SECRET: 'a secret for the journey of a partner',
    }),
  }),
};

describe.each(Object.entries(DATABASES))('on %s', (_name, openDatabase) => {
  let smtp: Awaited<ReturnType<typeof openSmtpServer>>;

  // Runs after Affkit's server has stopped. If the mail server closed earlier, it would wait for Affkit's connections.
  afterAll(() => smtp?.close());
  setUpDashboard(async () => {
    smtp = await openSmtpServer();
    // Links in emails contain the port, so the test must choose it before the server starts.
    const PORT = String(await findFreePort());
    return {
      ...(await openDatabase()),
      PORT,
      PUBLIC_URL: `http://127.0.0.1:${PORT}`,
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Shop <affiliates@shop.example>',
    };
  });

  /** Waits for the email with this subject. @returns its source, without quoted-printable encoding */
  async function receive(subject: string, recipient = MIA.email): Promise<string> {
    const sources = () =>
      smtp.received
        .filter(({ recipients }) => recipients.includes(recipient))
        .map(({ source }) => source.replaceAll('=\r\n', '').replaceAll('=3D', '='));
    const subjectOf = (source: string) => /^Subject: (.*)$/m.exec(source)?.[1]?.trim();
    await expect.poll(() => sources().map(subjectOf)).toContain(subject);
    return sources().find((source) => subjectOf(source) === subject) ?? '';
  }

  async function openPage(): Promise<Page> {
    const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
    onTestFinished(async () => {
      await context.close();
      // Browsers log the failed request for the session when nobody is signed in.
      expect(
        problems.filter((text) => !/^Failed to load resource.*(?:400|401|429)|^\[DOM\]/.test(text)),
      ).toEqual([]);
    });
    return context.newPage();
  }

  test('a partner applies, earns, and is paid', async () => {
    const api = `/api/advertiser/affiliate-programs/${site.empty}`;
    await site.call('PUT', `${api}/page`, { published: true, terms: 'No ads with our name.' });
    const advertiser = await openPage();
    const partner = await openPage();
    const shown = (page: Page, content: string | RegExp) => page.getByText(content).first().waitFor();

    await partner.goto('/p/empty');
    await partner.getByLabel('Your name').fill(MIA.name);
    await partner.getByLabel('Email address').fill(MIA.email);
    await partner.getByLabel('I accept the terms.').check();
    // The form rejects applications that arrive faster than a person could fill in the form.
    await expect
      .poll(
        async () => {
          const apply = partner.getByRole('button', { name: 'Apply' });
          if ((await apply.count()) > 0) await apply.click();
          return await partner.locator('h1').textContent();
        },
        { interval: 500 },
      )
      .toBe('Your application was received');
    await receive('Your application to Nothing here yet');

    await signIn(advertiser);
    await advertiser.goto(`/app/p/${site.empty}/partners?status=pending`);
    await advertiser.getByRole('link', { name: MIA.name }).click();
    await advertiser.getByRole('button', { name: 'Approve', exact: true }).click();
    await shown(advertiser, 'Active');

    const welcome = await receive('Welcome to the partner program of Nothing here yet');
    const invitation = /http:\/\/127\.0\.0\.1:\d+\/app\/invite#affi_[\w-]+/.exec(welcome)?.[0] ?? '';
    await partner.goto(invitation);
    await partner.getByLabel('Password').fill(MIA.password);
    await partner.getByRole('button', { name: 'Accept' }).click();
    await partner.waitForURL(/\/app\/partner/);
    await settle(partner);
    const openPart = (name: string) => partner.getByRole('navigation').getByRole('link', { name }).click();
    await openPart('Links');
    const link =
      (await partner
        .getByText(/^(?:https:\/\/)?shop\.example\/\?aff=/)
        .first()
        .textContent()) ?? '';
    await partner.goto('/app/partner/payout-details');
    await partner.getByLabel('How you are paid').selectOption('PayPal');
    await partner.getByLabel('Email address of the account').fill('mia@pay.example');
    await partner.getByLabel('Name of the person or company').fill('Mia Field Media');
    await partner.getByRole('button', { name: 'Save' }).click();
    await shown(partner, 'Your payout details are saved.');

    const { api_token: token } = await site.call<{ api_token: string }>(
      'POST',
      `${api}/regenerate-api-token`,
    );
    const affiliate_url = link.startsWith('https://') ? link : `https://${link}`;
    const { click_id } = await site.call<{ click_id: string }>('POST', '/api/v1/track/click', {
      affiliate_url,
    });
    const sale = { transaction_id: 'mia-1', amount_cents: 10_000, click_id };
    await site.call('POST', '/api/v1/track/sale', sale, token);

    await advertiser.goto(`/app/p/${site.empty}/payouts`);
    await advertiser.getByRole('button', { name: 'Pay partners' }).first().click();
    await advertiser.getByRole('button', { name: 'Create 1 payout' }).click();
    await shown(advertiser, /^1 payout created\./);
    await receive('A payout is on its way: 20.00 USD, Nothing here yet');
    await advertiser.getByRole('row', { name: MIA.name }).getByRole('checkbox').check();
    await advertiser.getByRole('button', { name: 'Make a batch of 1' }).click();
    await advertiser.getByLabel('How to pay').selectOption('A file: PayPal (CSV)');
    await advertiser.getByRole('button', { name: 'Make the file' }).click();
    await shown(advertiser, 'The file has 1 payout.');
    const [download] = await Promise.all([
      advertiser.waitForEvent('download'),
      advertiser.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(await text(await download.createReadStream())).toMatch(/^mia@pay\.example,20\.00,USD,/m);
    await advertiser.getByRole('button', { name: 'Close' }).last().click();
    const payouts = await site.call<{ id: number }[]>('GET', `${api}/payouts`);
    const id = payouts[0]?.id;
    await advertiser.getByRole('link', { name: 'Payout batches' }).click();
    await advertiser.getByRole('button', { name: 'Import the report' }).click();
    await advertiser.getByLabel('Source of the report', { exact: true }).selectOption('csv');
    await advertiser
      .getByLabel('Or paste the report')
      .fill(`payout_id,status,reference\n${id},paid,TX-2026\n`);
    await advertiser.getByRole('button', { name: 'Check the report' }).click();
    await advertiser.getByRole('button', { name: 'Record 1 result' }).click();
    await shown(advertiser, 'Recorded: 1 paid');

    const paid = await receive('You have been paid: 20.00 USD, Nothing here yet');
    expect(paid).toContain('TX-2026');
    await partner.goto(/http:\/\/127\.0\.0\.1:\d+\/app\/partner\/\d+\/payouts\/\d+/.exec(paid)?.[0] ?? '');
    await shown(partner, 'The advertiser has sent this amount to you.');
    await partner.getByRole('link', { name: 'Receipt' }).click();
    await settle(partner);
    const receipt = partner.getByRole('article');
    for (const part of ['TX-2026', 'Mia Field Media', 'PayPal']) {
      await receipt.getByText(part, { exact: true }).first().waitFor();
    }
    expect(await receipt.locator('tfoot').textContent()).toContain('$20.00');
  });

  test('an advertiser previews emails, sends a test, and sees which emails were refused', async () => {
    const page = await openPage();
    await signIn(page);
    await page.goto(`/app/p/${site.empty}`);
    const settled = async () => {
      await settle(page);
      await expectAccessible(page);
    };
    await page.getByRole('navigation').getByRole('link', { name: 'Emails' }).click();
    await page.goto(`/app/w/1/emails?program=${site.empty}`);
    await settle(page);
    const choose = page.getByRole('link', { name: 'Payout paid' });
    await choose.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/template=payout_paid/);
    const preview = page.getByTitle('Preview: Payout paid');
    const body = preview.contentFrame().locator('body');
    await body.getByText('Nothing here yet has paid your commissions.').waitFor();
    expect(await body.locator('a').first().getAttribute('href')).toBeNull();
    expect(await preview.getAttribute('sandbox')).toBe('');
    // The frame is styled by the email, and not by the dashboard, whose policy forbids inline styles.
    expect(await body.evaluate((element) => getComputedStyle(element).padding)).toBe('24px');
    await settled();
    await page.getByRole('button', { name: 'Text', exact: true }).press('Enter');
    await page.getByText('Reference: TR-2026-0042').waitFor();

    const send = page.getByRole('button', { name: 'Send a test email to me' });
    await send.press('Enter');
    const subject = 'Test: You have been paid: 148.50 USD, Nothing here yet';
    expect(await receive(subject, site.owner.email)).toContain('TR-2026-0042');
    await page.getByRole('status').getByText(`Sent to ${site.owner.email}.`).waitFor();

    const refused = 'gone@blog.example';
    const busy = 'busy@blog.example';
    smtp.onRecipient = (address) => {
      if (address === refused) throw smtpError(550, 'No such mailbox');
      if (address === busy) throw smtpError(451, 'Try again later');
    };
    for (const email of [refused, busy]) {
      const partner = { name: 'Pat', email, code: email.slice(0, 4) };
      await site.call('POST', `/api/advertiser/affiliate-programs/${site.empty}/partners`, partner);
    }
    await page.getByRole('link', { name: 'Sent emails' }).click();
    const rowOf = (email: string) => page.getByRole('row').filter({ hasText: email });
    await rowOf(refused).getByText('Failed').waitFor();
    await rowOf(refused).getByText('550 No such mailbox').waitFor();
    await rowOf(busy).getByText('451 Try again later').waitFor();
    await rowOf(busy).getByText('Next try:').waitFor();
    await page.getByLabel('State').selectOption('Failed');
    await rowOf(busy).waitFor({ state: 'detached' });
    await page.reload();
    await rowOf(refused).getByText('Partner invitation').waitFor();
    await settled();
  });
});
