export const none = 'You have no links yet. Create the first one.';
export const create = 'Create a link';
export const landing = 'Page (optional)';
export const landingHint = (site: string): string =>
  `Path or address of a page of ${site}. If you leave it empty, the link opens the start page.`;
export const landingWrong = (site: string): string => `Enter a page of ${site}, such as /products/tea.`;
export const subId = 'Sub-id';
export const subIdField = 'Sub-id (optional)';
export const subIdHint =
  'The place where you share the link, such as newsletter. You see the results of each sub-id.';
export const subIdWrong = 'Use at most 128 characters.';
export const ready = 'Your link is ready';
export const yourLink = 'Your link';
export const notApproved = 'You can create links as soon as the program has approved you.';
export const backToLinks = 'Links';

export const subIds = 'Sub-ids';
export const noSubIds =
  'No clicks with a sub-id in this period. Add &sub_id=newsletter to your link to see which placement works.';
export const otherSubIds = 'Other sub-ids';
export const withoutEnd =
  'If more than 100 sub-ids are used in a day, the clicks of the others are counted here.';
export const onlySubId = (subId: string): string => `Only ${subId}`;
export const showAll = 'Show the whole link';
export const countedUntil = (time: string): string => `Counted up to ${time}.`;
export const beingCounted = 'Older events are still being counted.';
