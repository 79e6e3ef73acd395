import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';
import './home.css';
import './reference.css';

/**
 * A search term of one or two letters matches only whole words, because nearly every section has a word that begins
 * with these letters.
 * The changelog mentions everything, so its sections come last, together with those of two pages for contributors.
 */
const SEARCH_OPTIONS = {
  combineWith: 'AND',
  prefix: (term: string) => term.length > 2,
  fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  boost: { title: 6, titles: 3, text: 1 },
  boostDocument: (id: string) => (/\/(changelog|performance-history|contributing)/.test(id) ? 0.1 : 1),
};

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp({ siteData }) {
    // VitePress would pass functions of the configuration as text to `new Function`, which the content policy forbids.
    const { themeConfig, ...rest } = siteData.value;
    const options = { ...themeConfig.search.options, miniSearch: { searchOptions: SEARCH_OPTIONS } };
    siteData.value = { ...rest, themeConfig: { ...themeConfig, search: { provider: 'local', options } } };
  },
};

export default theme;
