import { isolate } from '../../format/isolate.ts';
import { formatCount } from '../../format/number.ts';

export const skip = 'Skip to the content';
export const navigation = 'Navigation';
export const sidebar = 'Sidebar';
export const partnerPages = 'Partner portal';
export const advertiserPages = 'Advertiser pages';
export const newProgram = 'New program…';
export const goTo = 'Go to…';
export const unread = (count: number): string => `Notifications, ${formatCount(count)} unread`;

export const commandMenu = 'Command menu';
export const commandField = 'Page, partner, action, or id to explain';
export const commandResults = 'Results';
export const commandNone = 'No page, partner, or program has this name.';
export const overlayFailed = 'This dialog did not load. Check your connection.';
export const page = 'Page';
export const action = 'Action';
export const explain = (id: string): string => `Explain “${isolate(id)}”`;

export const keys = 'Keys';
/** The label of the key on a keyboard. */
export const controlKey = 'Ctrl';
export const searchKey = 'Search';
export const listKey = 'This list';

export const notLoadedTitle = 'This page did not load';
export const notLoaded = 'Affkit may have been updated, or your connection failed.';
export const reload = 'Reload the page';
export const notFoundTitle = 'Page not found';
export const notFound = 'The page does not exist, or it belongs to a program that you may not see.';
export const toOverview = 'Go to the overview';
