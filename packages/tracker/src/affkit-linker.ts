import { joinPageState } from './page.ts';
import { watchLinks } from './watch-links.ts';

joinPageState();
watchLinks();
