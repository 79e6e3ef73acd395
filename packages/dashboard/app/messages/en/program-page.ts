import { formatList } from '../../format/list.ts';

export const title = 'Program page';
export const intro =
  'A public page where people read your offer and apply as partners. It shows the default commission, the attribution window, and the hold period.';
export const open = 'Open the page';
export const saved = 'The page is saved.';

export const about = 'Publication';
export const aboutText = 'Until you publish the page, nobody can see it or apply.';
export const published = 'Published';
export const publishedHint = 'Everyone who has the address can read the page and apply.';
export const address = 'Address';
export const invitationAddress = (code: string): string => `Address with the code ${code}`;

export const content = 'Content';
export const contentText = 'Plain text. An empty line begins a new paragraph.';
export const description = 'Description';
export const terms = 'Terms';
export const termsHint = 'If you enter terms, applicants must accept them.';
export const logo = 'Logo';
export const logoHint = 'PNG, JPEG, or WebP, at most 30 KiB.';
export const logoWrong = 'Choose a PNG, JPEG, or WebP image of at most 30 KiB.';
export const removeLogo = 'Remove the logo';
export const currentLogo = 'The current logo';
export const color = 'Accent color';
export const colorHint = 'The page adapts the color where it would be hard to see.';
export const defaultColor = 'Use the default color';

export const questions = 'Questions';
export const questionsText = (max: number): string =>
  `The form always asks for a name and an email address. Add up to ${max} questions.`;
export const question = (position: number): string => `Question ${position}`;
export const label = 'Text';
export const labelMissing = 'Enter the question.';
export const type = 'Kind of answer';
/** The text for each type of question in the API. */
export const types = {
  text: 'A line of text',
  long_text: 'Several lines of text',
  url: 'A web address',
  number: 'A number',
  choice: 'One of several options',
  checkbox: 'A box to tick',
} as const;
export const options = 'Options';
export const optionsHint = 'One per line, up to 20.';
export const optionsMissing = 'Enter at least one option.';
export const required = 'Must be answered';
export const addQuestion = 'Add a question';
export const moveUp = (position: number): string => `Move question ${position} up`;
export const removeQuestion = (position: number): string => `Remove question ${position}`;

export const rules = 'Approval';
export const rulesText =
  'If no rule approves an application, you review it yourself, on the page of the partner.';
export const domains = 'Approve these email domains automatically';
export const domainsHint = 'One per line, such as agency.example. Subdomains do not count.';
export const codes = 'Approve these invitation codes automatically';
export const codesHint =
  'One per line, with 4 to 64 letters, digits, _ or -. If a code becomes public, remove it.';

export const embedding = 'Embedding';
export const embeddingText = 'Only the websites that you list can show the page in a frame.';
export const origins = 'Websites that may show the page in a frame';
export const originsHint = 'One per line, such as https://shop.example.';

/** Shown on the settings page of the program. */
export const settingsAbout = 'Where people apply as partners.';
export const settingsText = 'Describe your offer, ask questions, and decide who is approved automatically.';
export const edit = 'Edit the program page';
export const invalid = (names: readonly string[]): string => `Not saved. Check: ${formatList(names)}.`;
