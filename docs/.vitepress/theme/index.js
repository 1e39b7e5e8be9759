import DefaultTheme from 'vitepress/theme';
import { searchOptions } from '../search.js';
import { correctPage, watchPage } from './access.js';
import './style.css';

/** The API reference was at the address of the home page, with the place in the fragment. */
function followOldReference() {
  if (location.pathname === import.meta.env.BASE_URL && location.hash.startsWith('#/')) {
    location.replace(`${import.meta.env.BASE_URL}api/${location.hash}`);
  }
}

/** @type {import('vitepress').Theme} */
export default {
  extends: DefaultTheme,
  enhanceApp({ app, siteData, router }) {
    // a page that can't be written ends the build
    app.config.throwUnhandledErrorInProduction = import.meta.env.SSR;
    // functions in the configuration would reach the pages as text to evaluate, which their security policy forbids
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions } };
    if (import.meta.env.SSR) return;
    followOldReference();
    router.onAfterPageLoad = () => requestAnimationFrame(correctPage);
    watchPage();
  },
};
