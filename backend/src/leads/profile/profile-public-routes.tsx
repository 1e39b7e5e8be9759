import { type NextFunction, type Request, type Response, Router } from 'express';
import { clientOf } from '../../http/client.ts';
import { readForm, type SentForm, UnreadableForm } from '../../http/form.ts';
import { readLanguage, sendPage } from '../../http/page.tsx';
import { statusOf } from '../../http/respond.ts';
import { DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import { checkForm, textOf } from '../form.ts';
import type { FormTokens } from '../form-token.ts';
import { MAX_FILE_BYTES, MAX_TEXT_BYTES } from '../lead.ts';
import type { LeadService } from '../lead-service.ts';
import { PAGE_MESSAGES } from './messages.ts';
import { type FormState, Message, ProfileListPage, ProfilePage, TRAP } from './pages.tsx';
import type { ProfileService } from './profile-service.ts';
import type { PublicProfile } from './profile-store.ts';

const PER_PAGE = 24;
/** The limit of the sitemap protocol. */
const MAX_IN_SITEMAP = 50_000;
const DESCRIPTION_LENGTH = 160;

/** How much of an oversized file is read and dropped, so that its sender still receives the error page. */
const MAX_BODY_BYTES = 64_000_000;
/** Node closes a request after 30 s. */
const BODY_WITHIN_MS = 28_000;
/** A smaller body can't contain a file of relevant size. */
const SMALL_BYTES = 64 * 1024;
/** Files that are read at the same time, each entirely in memory: in total and per address. */
const MAX_UPLOADS = 8;
const MAX_UPLOADS_OF_CLIENT = 2;
/** How many forms may wait to be processed. */
const MAX_WAITING = 200;

export interface ProfileRouterDeps {
  profiles: Pick<ProfileService, 'findPublic' | 'publicPhoto' | 'listPublic' | 'publicSlugs'>;
  leads: Pick<LeadService, 'submit' | 'limitOf'>;
  tokens: FormTokens;
  /** limits attempts per address in this process, before the limit in the database */
  attemptLimiter: { check(key: string): void; record(key: string): unknown };
  /** the public URL of the server; undefined: as in the request */
  publicUrl: string | undefined;
  logger: Logger;
}

/**
 * The public pages: the list of workshops, their profiles and the form on them.
 * Forms that other sites post here are accepted. No cookie is read, so such a request has no more rights than one that
 * the other site sends itself.
 */
export function createProfileRouter({
  profiles,
  leads,
  tokens,
  attemptLimiter,
  publicUrl,
  logger,
}: ProfileRouterDeps): Router {
  const router = Router({ caseSensitive: true });
  const originOf = (req: Request) => publicUrl ?? `${req.protocol}://${req.get('host')}`;

  const notFoundPage = (req: Request, res: Response) => {
    const language = readLanguage(req);
    const messages = PAGE_MESSAGES[language];
    // a constant time for every address, so that nobody can find out which profiles exist
    const body = <Message language={language} path="/masters" title={messages.notFound} lead={messages.notFoundLead} />;
    sendPage(res, { status: 404, title: messages.notFound, language, body });
  };

  /** @param isUnread the body was not read to its end, so the connection can't be reused */
  const sendRefusal = (req: Request, res: Response, slug: string, status: number, isUnread: boolean) => {
    if (isUnread) res.setHeader('Connection', 'close');
    if (status === 429 || status === 503) res.setHeader('Retry-After', status === 503 ? '10' : '600');
    const language = readLanguage(req);
    const [title, lead] = PAGE_MESSAGES[language].unreadable[status] as [string, string];
    const path = `/masters/${slug}`;
    const body = <Message language={language} path={path} title={title} lead={lead} back={path} />;
    sendPage(res, { status, title, language, body });
  };

  const sendProfile = (req: Request, res: Response, profile: PublicProfile, form: FormState, status = 200) => {
    const language = readLanguage(req);
    sendPage(res, {
      status,
      title: `${profile.headline} · ${profile.farmName}`,
      language,
      ...(status === 200 && {
        description: (profile.about || profile.headline)
          .replace(/\s+/g, ' ')
          .slice(0, DESCRIPTION_LENGTH)
          .toWellFormed(),
        canonical: `${originOf(req)}/masters/${profile.slug}`,
      }),
      body: <ProfilePage language={language} profile={profile} form={form} />,
    });
  };

  type ProfileRequest = Request<{ slug: string; id: string }>;
  type Handler = (req: ProfileRequest, res: Response, profile: PublicProfile) => unknown;
  /** Calls the handler with the public profile of an address; otherwise returns the "not found" page. */
  const withProfile =
    (handle: Handler, find: (slug: string) => Promise<PublicProfile | undefined> | undefined = profiles.findPublic) =>
    async (req: ProfileRequest, res: Response) => {
      const { slug } = req.params;
      const finding = find(slug);
      if (!finding) return sendRefusal(req as Request, res, slug, 503, true);
      const profile = await finding;
      if (profile) await handle(req, res, profile);
      else notFoundPage(req as Request, res);
    };

  router.use((_req: Request, res: Response, next: NextFunction) => {
    res.vary('Accept-Language');
    next();
  });

  router.get('/', async (req: Request, res: Response) => {
    const language = readLanguage(req);
    const messages = PAGE_MESSAGES[language];
    const material =
      typeof req.query.material === 'string' ? req.query.material.toWellFormed().slice(0, 40).trim() : '';
    const wanted = /^[1-9]\d{0,4}$/.test(String(req.query.page ?? '')) ? Number(req.query.page) : 1;
    const listed = await profiles.listPublic(material.replaceAll('\0', '') || undefined, {
      page: wanted,
      per_page: PER_PAGE,
    });
    const pages = Math.max(1, Math.ceil(listed.total / PER_PAGE));
    if (wanted > pages) return notFoundPage(req, res);
    sendPage(res, {
      title: messages.profilesTitle,
      language,
      // search results should not be indexed
      ...(material === '' && {
        description: messages.profilesLead,
        canonical: `${originOf(req)}/masters${wanted > 1 ? `?page=${wanted}` : ''}`,
      }),
      body: (
        <ProfileListPage language={language} profiles={listed.items} material={material} page={wanted} pages={pages} />
      ),
    });
  });

  router.get('/sitemap.xml', async (req: Request, res: Response) => {
    const urls = (await profiles.publicSlugs(MAX_IN_SITEMAP)).map(
      ({ slug, updated_at }) =>
        `<url><loc>${originOf(req).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}/masters/${slug}</loc><lastmod>${new Date(updated_at).toISOString()}</lastmod></url>`,
    );
    res.setHeader('Cache-Control', 'no-cache');
    res
      .type('application/xml')
      .send(
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`,
      );
  });

  router.get(
    '/:slug',
    withProfile((req, res, profile) =>
      sendProfile(req as Request, res, profile, { token: tokens.issue(profile.accountId) }),
    ),
  );

  router.get(
    '/:slug/photos/:id',
    withProfile(async (req, res, profile) => {
      if (!profile.photos.includes(req.params.id)) return notFoundPage(req as Request, res);
      const { type, content } = await profiles.publicPhoto(profile, req.params.id);
      res.removeHeader('Vary');
      // photos never change: a new photo has a new address
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
      res.type(type).send(content);
    }),
  );

  router.get(
    '/:slug/sent',
    withProfile((req, res, { slug }) => {
      const language = readLanguage(req as Request);
      const messages = PAGE_MESSAGES[language];
      const path = `/masters/${slug}`;
      const body = (
        <Message language={language} path={`${path}/sent`} title={messages.sent} lead={messages.sentLead} back={path} />
      );
      sendPage(res, { title: messages.sent, language, body });
    }),
  );

  // a GET of the form's address gets the page that contains the form
  router.get(
    '/:slug/requests',
    withProfile((_req, res, { slug }) => res.redirect(302, `/masters/${slug}`)),
  );

  const uploads = createUploadLimit();
  // forms must not delay requests from the console
  const runLimited = createConcurrencyLimit(MAX_WAITING);

  router.post(
    '/:slug/requests',
    withProfile(
      async (req, res, profile) => {
        const client = clientOf(req as Request);
        const { slug, accountId } = profile;
        const length = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
        const isSmall = length <= SMALL_BYTES;
        const refuse = (status: number) => sendRefusal(req as Request, res, slug, status, !isSmall);
        const redirectToSent = () => res.redirect(303, `/masters/${slug}/sent?lang=${readLanguage(req as Request)}`);
        try {
          attemptLimiter.check(client);
        } catch {
          return refuse(429);
        }
        attemptLimiter.record(client);
        // once the limit is reached, a large body isn't worth reading; a small one is, to show the entered texts again
        if (!isSmall && (await leads.limitOf(accountId, client))) return refuse(429);
        const release = isSmall ? () => undefined : uploads.acquire(client);
        if (!release) return refuse(503);
        try {
          let form: SentForm;
          try {
            form = await readForm(req as Request, {
              fileField: 'file',
              maxFileBytes: MAX_FILE_BYTES,
              maxBodyBytes: MAX_BODY_BYTES,
              maxTextBytes: MAX_TEXT_BYTES,
              withinMs: BODY_WITHIN_MS,
              mayHaveFile: (fields) =>
                !fields.get(TRAP) && tokens.check(accountId, fields.get('token') ?? '') !== 'forged',
            });
          } catch (error) {
            if (error instanceof UnreadableForm) return refuse(error.status);
            throw error;
          }
          if (form.isIncomplete && !isSmall) res.setHeader('Connection', 'close');
          await (runLimited(() => take(form)) ?? refuse(503));
        } finally {
          release();
        }

        async function take(form: SentForm): Promise<void> {
          // a program that fills in the hidden field is told that it succeeded
          if (form.fields.get(TRAP)) return redirectToSent();
          const token = form.fields.get('token') ?? '';
          const tokenStatus = tokens.check(accountId, token);
          const { text, file, faults } = checkForm(form);
          const again = (status: number, more: Partial<FormState>) =>
            sendProfile(
              req as Request,
              res,
              profile,
              {
                // a valid token is kept, so that it isn't too new the second time
                token: tokenStatus === 'good' || tokenStatus === 'too_fast' ? token : tokens.issue(accountId),
                text: textOf(form),
                faults,
                hadFile: form.file !== undefined,
                ...more,
              },
              status,
            );
          if (tokenStatus !== 'good')
            return again(422, { trouble: tokenStatus === 'too_fast' ? 'too_fast' : 'expired' });
          if (faults.length > 0) return again(422, {});
          const outcome =
            (await leads.limitOf(accountId, client)) ?? (await leads.submit({ accountId, text, file, token, client }));
          if (outcome === 'accepted') return redirectToSent();
          if (outcome === 'full') return again(422, { faults: [['file', 'no_room']] });
          res.setHeader('Retry-After', '3600');
          return again(429, { trouble: outcome });
        }
      },
      (slug) => runLimited(() => profiles.findPublic(slug)),
    ),
  );

  router.use((req: Request, res: Response) => notFoundPage(req, res));
  router.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) return next(error);
    // the profile was unpublished in the meantime
    if (error instanceof DomainError && error.code === 'not_found') return notFoundPage(req, res);
    const status = statusOf(error);
    if (status >= 500)
      logger.error({ err: error, request_id: res.getHeader('X-Request-Id') }, 'failed to render a public page');
    const language = readLanguage(req);
    const [title, lead] = PAGE_MESSAGES[language].unreadable[500] as [string, string];
    res.setHeader('Connection', 'close');
    const body = <Message language={language} path="/masters" title={title} lead={lead} />;
    sendPage(res, { status, title, language, body });
  });
  return router;
}

/** Limits how many requests are processed at the same time, in total and per client. */
function createUploadLimit() {
  const inside = new Map<string, number>();
  let all = 0;
  return {
    /** @returns a function that ends the request; undefined if the limit is reached */
    acquire(client: string): (() => void) | undefined {
      const own = inside.get(client) ?? 0;
      if (all >= MAX_UPLOADS || own >= MAX_UPLOADS_OF_CLIENT) return undefined;
      all += 1;
      inside.set(client, own + 1);
      return () => {
        all -= 1;
        const left = (inside.get(client) ?? 1) - 1;
        if (left > 0) inside.set(client, left);
        else inside.delete(client);
      };
    },
  };
}
