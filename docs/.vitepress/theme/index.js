import DefaultTheme from 'vitepress/theme';
import { searchOptions } from '../search.js';
import './style.css';

/** The API reference was at the address of the home page, with the place in the fragment. */
function followOldReference() {
  if (location.pathname === import.meta.env.BASE_URL && location.hash.startsWith('#/')) {
    location.replace(`${import.meta.env.BASE_URL}api/${location.hash}`);
  }
}

/** Tables and code may be wider than a phone: the keyboard has to reach what scrolls. */
function makeScrollable() {
  for (const part of document.querySelectorAll('.vp-doc :is(table, pre, .diagram)')) {
    if (part.scrollWidth > part.clientWidth) part.setAttribute('tabindex', '0');
    else part.removeAttribute('tabindex');
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
    router.onAfterPageLoad = () => requestAnimationFrame(makeScrollable);
    addEventListener('load', makeScrollable);
    addEventListener('resize', makeScrollable);
  },
};
