import DefaultTheme from 'vitepress/theme';
import { searchOptions } from '../search.js';
import { correctPage, watchPage } from './access.js';
import './style.css';

/** @type {import('vitepress').Theme} */
export default {
  extends: DefaultTheme,
  enhanceApp({ app, siteData, router }) {
    // a page that can't be written ends the build
    app.config.throwUnhandledErrorInProduction = import.meta.env.SSR;
    // functions in the configuration would reach the pages as text to evaluate, which their security policy forbids
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions } };
    if (import.meta.env.SSR) return;
    router.onAfterPageLoad = () => requestAnimationFrame(correctPage);
    watchPage();
  },
};
