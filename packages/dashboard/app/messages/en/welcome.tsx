import type { ComponentChildren, JSX } from 'preact';
import { isolate } from '../../format/isolate.ts';
import { locale } from './locale.ts';

export const welcome = 'Welcome';
export const welcomeToAffkit = 'Welcome to Affkit';
export const newProgram = 'New program';
export const createIntro = 'Record your first click in five steps.';
export const connectIntro = 'Connect your site, and record the first click.';

const either = new Intl.ListFormat(locale, { type: 'disjunction' });
export const creationForbidden = 'You cannot create programs.';
export const noProgram = 'You have no access to a program yet.';
export const askOwner = 'Ask an owner of the workspace for access.';
export const askToCreate = (workspaces: readonly string[]): string =>
  `Ask an owner or an admin of ${either.format(workspaces.map(isolate))} to create one.`;

export const steps = 'Steps';
/** The names of the steps, in order. */
export const stepNames = {
  program: 'Program',
  commission: 'Commission',
  site: 'Your site',
  partner: 'First partner',
  click: 'First click',
} as const;
export const isDone = '(done)';
export const next = 'Continue';
type LinkOf = (text: string) => ComponentChildren;
export const changeLater = (settings: LinkOf, policies: LinkOf): JSX.Element => (
  <>
    You can change the program in {settings('Settings')}, and the commission in {policies('Policies')}.
  </>
);

export const programTitle = 'What do you sell?';
export const programIntro = 'Partners see the name, and their links lead to the site.';
export const programName = 'Name of the program';
export const programNameExample = 'Tea Shop partners';
export const site = 'Your site';
export const siteExample = 'shop.example.com';
export const siteMissing = `Enter the address of your site, such as ${siteExample}.`;
export const currency = 'Currency';
export const currencyHint = 'The program’s totals use this currency. Other currencies are not converted.';
export const currencyChoice = (code: string, name: string | undefined): string => `${code} – ${name}`;
export const otherCurrency = 'Another currency';
export const currencyCode = 'Code of the currency';
export const currencyCodeExample = 'KWD';
export const currencyCodeInvalid = 'Enter a code of three letters, such as USD.';

export const siteTitle = 'Add the tracker to your site';
export const siteIntro = 'The tracker records visits through partners’ links.';
export const token = 'Tracking token, for your server';
export const tokenHint = 'Store it on your server as AFFKIT_TOKEN now. It is not shown again.';
export const serverLater = (setup: (text: string) => ComponentChildren): JSX.Element => (
  <>Your server reports sign-ups and sales. {setup('Setup')} has the code for it.</>
);

export const partnerTitle = 'Invite the first partner';
export const partnerIntro = 'Every partner gets a link to share. To try it, invite yourself.';
export const noPartner = 'No partner yet.';
export const skip = 'Skip for now';

export const clickTitle = 'Open the partner’s link';
export const clickIntro = 'The link opens your site, where the tracker records the visit.';
export const openLink = 'Open the link in a new tab';
export const noLink = (invite: (text: string) => ComponentChildren): JSX.Element => (
  <>{invite('Invite a partner')} to get a link.</>
);
export const finishLater = 'Finish later';
export const clickArrived = 'The first click has arrived';
export const clickArrivedIntro = 'Your site is connected. Now let your server report sign-ups and sales.';
export const connectServer = 'Connect your server';
export const toOverview = 'Go to the overview';
