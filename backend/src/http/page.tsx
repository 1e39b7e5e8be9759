import { createHash } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { LANGUAGES, type Language } from '../shared/language.ts';
import { STYLE } from './page-style.ts';

/** A page for people outside: made on the server, readable without scripts. React writes it, which escapes all text. */
export interface Page {
  /** default 200 */
  status?: number;
  title: string;
  language: Language;
  body: ReactNode;
  /** what a search engine shows; undefined: the page is not to be found by one */
  description?: string | undefined;
  /** the one address of the page, where it has more than one */
  canonical?: string | undefined;
  /** origins that a form of this page may lead to beside our own */
  formTargets?: string[];
}

const STYLE_FILE = `${createHash('sha256').update(STYLE).digest('hex').slice(0, 16)}.css`;

/** Where the style of the pages is answered; `createPageFiles` is mounted there. */
export const PAGE_FILES = '/pages';

const policyOf = (formTargets: string[]) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** `?lang=`, else what the browser prefers, else English. */
export function readLanguage(req: Request): Language {
  const { lang } = req.query;
  const asked = LANGUAGES.find((one) => one === lang);
  return asked ?? ((req.acceptsLanguages([...LANGUAGES]) || 'en') as Language);
}

/** The text of a page, and the headers it must have. */
export function renderPage(page: Page): { html: string; headers: Record<string, string> } {
  const { title, language, body, description, canonical, formTargets = [] } = page;
  const markup = renderToStaticMarkup(
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        {description === undefined ? (
          <meta name="robots" content="noindex" />
        ) : (
          <meta name="description" content={description} />
        )}
        {canonical && <link rel="canonical" href={canonical} />}
        {/* one that is named is asked for; else every browser tries /favicon.ico in vain */}
        <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href={`${PAGE_FILES}/${STYLE_FILE}`} />
      </head>
      <body>{body}</body>
    </html>,
  );
  return {
    html: `<!doctype html>${markup}`,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(formTargets),
      ...(description === undefined && { 'X-Robots-Tag': 'noindex' }),
    },
  };
}

/** Answers with a page. Whatever else has to be said in headers is set before. */
export function sendPage(res: Response, page: Page): void {
  const { html, headers } = renderPage(page);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-cache');
  res.status(page.status ?? 200).send(html);
}

/** The style of the pages. Its name has a digest of what is in it, so that it may be kept for ever. */
export function createPageFiles(): Router {
  const router = Router();
  router.get(`/${STYLE_FILE}`, (_req: Request, res: Response) => {
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    res.type('css').send(STYLE);
  });
  return router;
}
