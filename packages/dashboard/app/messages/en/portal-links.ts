import { isolate } from '../../format/isolate.ts';
export const none = 'You have no links yet. Create the first one.';
export const create = 'Create a link';
export const landing = 'Page (optional)';
export const landingHint = (site: string): string =>
  `A page of ${site}: its path or full address. If you leave this field empty, the link opens the start page.`;
export const landingWrong = (site: string): string => `Enter a page of ${site}, such as /products/tea.`;
export const subId = 'Sub-id';
export const subIdField = 'Sub-id (optional)';
export const subIdHint =
  'A name for the place where you share the link, such as newsletter. You see the results of each sub-id.';
export const subIdWrong = 'Use at most 128 characters.';
export const ready = 'Your link is ready';
export const yourLink = 'Your link';
export const notApproved = 'You can create links as soon as the program has approved you.';
export const backToLinks = 'Links';

export const subIds = 'Sub-ids';
export const noSubIds =
  'No clicks with a sub-id in this period. To compare the places where you share your link, add a sub-id such as &sub_id=newsletter.';
export const otherSubIds = 'Other sub-ids';
export const withoutEnd =
  'At most 100 sub-ids per day are listed. Clicks with other sub-ids are counted here.';
export const onlySubId = (subId: string): string => `Only ${isolate(subId)}`;
export const showAll = 'Show the whole link';
export const countedUntil = (time: string): string => `Counted up to ${time}.`;
export const beingCounted = 'Older events are still being counted.';
