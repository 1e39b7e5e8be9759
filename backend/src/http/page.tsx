import { createHash } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import type { ReactNode } from 'react';
import { LANGUAGES, type Language } from '../shared/language.ts';
import { STYLE } from './page-style.ts';

/** A public page: rendered on the server by React, which escapes all text, and readable without scripts. */
export interface Page {
  /** default 200 */
  status?: number;
  title: string;
  language: Language;
  body: ReactNode;
  /** description for search engines; undefined: the page is not indexed */
  description?: string | undefined;
  /** canonical URL, if the page has several */
  canonical?: string | undefined;
  /** origins besides our own that forms of this page may redirect to */
  formTargets?: string[];
}

const STYLE_FILE = `${createHash('sha256').update(STYLE).digest('hex').slice(0, 16)}.css`;

/** The path of the stylesheet, where `createPageFiles` is mounted. */
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

/** `?lang=`, else the browser's preference, else English. */
export function readLanguage(req: Request, preferred?: Language): Language {
  const { lang } = req.query;
  const requested = LANGUAGES.find((one) => one === lang);
  return requested ?? preferred ?? ((req.acceptsLanguages([...LANGUAGES]) || 'en') as Language);
}

/** Renders a page with its required headers. */
export async function renderPage(page: Page): Promise<{ html: string; headers: Record<string, string> }> {
  // loaded with the first page, because it takes 5 MB; a bundled CommonJS package is the default export
  const { default: server } = await import('react-dom/server');
  const { title, language, body, description, canonical, formTargets = [] } = page;
  const markup = server.renderToStaticMarkup(
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

/** Sends a page. Set other headers beforehand. */
export function sendPage(res: Response, page: Page): void {
  const send = ({ html, headers }: Awaited<ReturnType<typeof renderPage>>) => {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-cache');
    res.status(page.status ?? 200).send(html);
  };
  renderPage(page).then(send).catch(res.req.next);
}

/** Serves the stylesheet. Its name contains a content digest, so it can be cached forever. */
export function createPageFiles(): Router {
  const router = Router();
  router.get(`/${STYLE_FILE}`, (_req: Request, res: Response) => {
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    res.type('css').send(STYLE);
  });
  return router;
}
