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
import { PAGE_WORDS } from './messages.ts';
import { type FormState, MastersPage, Message, ProfilePage, TRAP } from './pages.tsx';
import type { ProfileService } from './profile-service.ts';
import type { PublicProfile } from './profile-store.ts';

const PER_PAGE = 24;
/** A sitemap may name 50,000 addresses. */
const MAX_IN_SITEMAP = 50_000;
const DESCRIPTION_LENGTH = 160;

/** Of a file that is too large so much is read and dropped, so that who sent it gets to see the page again. */
const MAX_BODY_BYTES = 64_000_000;
/** Node ends a request that takes longer than 30 s. */
const BODY_WITHIN_MS = 28_000;
/** A body that can hold no file worth counting. */
const SMALL_BYTES = 64 * 1024;
/** Files that are read at once, each in memory as a whole; and of one address. */
const MAX_UPLOADS = 8;
const MAX_UPLOADS_OF_CLIENT = 2;
/** Forms that wait for their turn. */
const MAX_WAITING = 200;

export interface MastersDeps {
  profiles: Pick<ProfileService, 'findPublic' | 'publicPhoto' | 'listPublic' | 'publicSlugs'>;
  leads: Pick<LeadService, 'submit' | 'limitOf'>;
  tokens: FormTokens;
  /** counts what is sent by an address, in this process: a first bound before the one in the database */
  attemptLimiter: { check(key: string): void; record(key: string): unknown };
  /** where people reach the service; undefined: as they asked for it */
  publicUrl: string | undefined;
  logger: Logger;
}

/**
 * The pages for everybody: who takes requests, a page of each, and the form on it.
 * A form that another site sends here is taken like any other: no cookie is read, so it acts in nobody's name, and whoever
 * could make a browser send it could as well send it themselves.
 */
export function createMastersRouter({
  profiles,
  leads,
  tokens,
  attemptLimiter,
  publicUrl,
  logger,
}: MastersDeps): Router {
  const router = Router({ caseSensitive: true });
  const originOf = (req: Request) => publicUrl ?? `${req.protocol}://${req.get('host')}`;

  const notFoundPage = (req: Request, res: Response) => {
    const language = readLanguage(req);
    const words = PAGE_WORDS[language];
    // the same for every address, so that nobody learns which profiles there are
    const body = <Message language={language} path="/masters" title={words.notFound} lead={words.notFoundLead} />;
    sendPage(res, { status: 404, title: words.notFound, language, body });
  };

  /** @param isUnread its body was not read to its end: nothing else can come over this connection */
  const sendRefusal = (req: Request, res: Response, slug: string, status: number, isUnread: boolean) => {
    if (isUnread) res.setHeader('Connection', 'close');
    if (status === 429 || status === 503) res.setHeader('Retry-After', status === 503 ? '10' : '600');
    const language = readLanguage(req);
    const [title, lead] = PAGE_WORDS[language].unreadable[status] as [string, string];
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
  /** With the public profile that the address names; the page that says there is none otherwise. */
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
    const words = PAGE_WORDS[language];
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
      title: words.mastersTitle,
      language,
      // what was searched for is no page of its own
      ...(material === '' && {
        description: words.mastersLead,
        canonical: `${originOf(req)}/masters${wanted > 1 ? `?page=${wanted}` : ''}`,
      }),
      body: <MastersPage language={language} profiles={listed.items} material={material} page={wanted} pages={pages} />,
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
      // a photo never changes: another has another address
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
      res.type(type).send(content);
    }),
  );

  router.get(
    '/:slug/sent',
    withProfile((req, res, { slug }) => {
      const language = readLanguage(req as Request);
      const words = PAGE_WORDS[language];
      const path = `/masters/${slug}`;
      const body = (
        <Message language={language} path={`${path}/sent`} title={words.sent} lead={words.sentLead} back={path} />
      );
      sendPage(res, { title: words.sent, language, body });
    }),
  );

  // who asks for the address of the form wants the page it is on
  router.get(
    '/:slug/requests',
    withProfile((_req, res, { slug }) => res.redirect(302, `/masters/${slug}`)),
  );

  const uploads = createGate();
  // owners at their console do not wait for programs at the form
  const inTurn = createConcurrencyLimit(MAX_WAITING);

  router.post(
    '/:slug/requests',
    withProfile(
      async (req, res, profile) => {
        const client = clientOf(req as Request);
        const { slug, accountId } = profile;
        const length = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
        const isSmall = length <= SMALL_BYTES;
        const refuse = (status: number) => sendRefusal(req as Request, res, slug, status, !isSmall);
        const thank = () => res.redirect(303, `/masters/${slug}/sent?lang=${readLanguage(req as Request)}`);
        try {
          attemptLimiter.check(client);
        } catch {
          return refuse(429);
        }
        attemptLimiter.record(client);
        // a large body is not worth reading once the limit is reached; a small one is, for what was typed
        if (!isSmall && (await leads.limitOf(accountId, client))) return refuse(429);
        const leave = isSmall ? () => undefined : uploads.enter(client);
        if (!leave) return refuse(503);
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
          await (inTurn(() => take(form)) ?? refuse(503));
        } finally {
          leave();
        }

        async function take(form: SentForm): Promise<void> {
          // whoever fills in what nobody sees believes that it worked
          if (form.fields.get(TRAP)) return thank();
          const token = form.fields.get('token') ?? '';
          const verdict = tokens.check(accountId, token);
          const { text, file, faults } = checkForm(form);
          const again = (status: number, more: Partial<FormState>) =>
            sendProfile(
              req as Request,
              res,
              profile,
              {
                // a good one grows older, and is not too young the second time
                token: verdict === 'good' || verdict === 'too_fast' ? token : tokens.issue(accountId),
                text: textOf(form),
                faults,
                hadFile: form.file !== undefined,
                ...more,
              },
              status,
            );
          if (verdict !== 'good') return again(422, { trouble: verdict === 'too_fast' ? 'too_fast' : 'expired' });
          if (faults.length > 0) return again(422, {});
          const outcome =
            (await leads.limitOf(accountId, client)) ?? (await leads.submit({ accountId, text, file, token, client }));
          if (outcome === 'taken') return thank();
          if (outcome === 'full') return again(422, { faults: [['file', 'no_room']] });
          res.setHeader('Retry-After', '3600');
          return again(429, { trouble: outcome });
        }
      },
      (slug) => inTurn(() => profiles.findPublic(slug)),
    ),
  );

  router.use((req: Request, res: Response) => notFoundPage(req, res));
  router.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) return next(error);
    // it was taken down in this very moment
    if (error instanceof DomainError && error.code === 'not_found') return notFoundPage(req, res);
    const status = statusOf(error);
    if (status >= 500)
      logger.error({ err: error, request_id: res.getHeader('X-Request-Id') }, 'failed to render a public page');
    const language = readLanguage(req);
    const [title, lead] = PAGE_WORDS[language].unreadable[500] as [string, string];
    res.setHeader('Connection', 'close');
    const body = <Message language={language} path="/masters" title={title} lead={lead} />;
    sendPage(res, { status, title, language, body });
  });
  return router;
}

/** How many may be inside at once, in all and of one client. */
function createGate() {
  const inside = new Map<string, number>();
  let all = 0;
  return {
    /** @returns what lets the next one in; undefined: there is no room */
    enter(client: string): (() => void) | undefined {
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
