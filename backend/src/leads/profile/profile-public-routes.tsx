import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Logger } from '../../../../common/src/logger.ts';
import { UnreadableBody } from '../../http/body-budget.ts';
import { admitBody, sendFile, UPLOAD_WITHIN_MS } from '../../http/body-reader.ts';
import { clientOf } from '../../http/client.ts';
import { readForm, type SentForm } from '../../http/form.ts';
import { readLanguage, sendPage } from '../../http/page.tsx';
import { closeIfUnread, statusOf } from '../../http/respond.ts';
import { DomainError } from '../../shared/errors.ts';
import type { RateLimit } from '../../shared/rate-limit.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import { UPLOAD_CSP } from '../file-kind.ts';
import { checkForm } from '../form.ts';
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
/** A smaller body can't contain a file of relevant size. */
const SMALL_BYTES = 64 * 1024;
/** How many forms may wait to be processed. */
const MAX_WAITING = 200;

export interface ProfileRouterDeps {
  profiles: Pick<ProfileService, 'findPublic' | 'publicPhoto' | 'listPublic' | 'publicSlugs'>;
  leads: Pick<LeadService, 'submit' | 'limitOf'>;
  tokens: FormTokens;
  /** limits attempts per address, before the limit in the database */
  formLimit: RateLimit;
  /** the public URL of the server; undefined: as in the request */
  publicUrl: string | undefined;
  logger: Logger;
}

interface FormDeps extends ProfileRouterDeps {
  runLimited: ReturnType<typeof createConcurrencyLimit>;
}

/**
 * The public pages: the list of workshops, their profiles and the form on them.
 * Forms that other sites post here are accepted. No cookie is read, so such a request has no more rights than one that
 * the other site sends itself.
 */
export function createProfileRouter(deps: ProfileRouterDeps): Router {
  const { profiles, tokens, logger } = deps;
  const { findPublic } = profiles;
  const router = Router({ caseSensitive: true });
  // forms must not delay requests from the console
  const runLimited = createConcurrencyLimit(MAX_WAITING);
  const formDeps = { ...deps, runLimited };

  router.use((_req: Request, res: Response, next: NextFunction) => {
    res.vary('Accept-Language');
    next();
  });
  router.get('/', (req: Request, res: Response) => sendProfileList(deps, req, res));
  router.get('/sitemap.xml', (req: Request, res: Response) => sendSitemap(deps, req, res));
  router.get(
    '/:slug',
    withProfile(findPublic, (req, res, profile) =>
      sendProfile(deps, req, res, profile, { token: tokens.issue(profile.accountId) }),
    ),
  );
  router.get(
    '/:slug/photos/:id',
    withProfile(findPublic, (req, res, profile) => sendPhoto(profiles, req, res, profile)),
  );
  router.get('/:slug/sent', withProfile(findPublic, sendSent));
  // a GET of the form's address gets the page that contains the form
  router.get(
    '/:slug/requests',
    withProfile(findPublic, (_req, res, { slug }) => res.redirect(302, `/masters/${slug}`)),
  );
  router.post(
    '/:slug/requests',
    withProfile(
      (slug) => runLimited(() => findPublic(slug)),
      (req, res, profile) => receiveForm(formDeps, req, res, profile),
    ),
  );
  router.use((req: Request, res: Response) => sendNotFound(req, res));
  router.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) return next(error);
    // the profile was unpublished in the meantime
    if (error instanceof DomainError && error.code === 'not_found') return sendNotFound(req, res);
    sendError(logger, error, req, res);
  });
  return router;
}

/** `/workshops`, as the console calls these pages, leads to `/masters`. */
export function createWorkshopsRedirect(): Router {
  const router = Router();
  router.get(/.*/, (req: Request, res: Response) => res.redirect(302, `/masters${req.url.replace(/^\/(?=\?|$)/, '')}`));
  return router;
}

/**
 * Calls the handler with the public profile of an address; otherwise returns the "not found" page.
 * @param find undefined: too many requests are waiting
 */
const withProfile =
  (
    find: (slug: string) => Promise<PublicProfile | undefined> | undefined,
    handle: (req: Request, res: Response, profile: PublicProfile) => unknown,
  ) =>
  async (req: Request, res: Response) => {
    const slug = req.params.slug as string;
    const finding = find(slug);
    if (!finding) return sendRefusal(req, res, slug, 503);
    const profile = await finding;
    if (profile) await handle(req, res, profile);
    else sendNotFound(req, res);
  };

const originOf = ({ publicUrl }: ProfileRouterDeps, req: Request) =>
  publicUrl ?? `${req.protocol}://${req.get('host')}`;

function sendNotFound(req: Request, res: Response): void {
  const language = readLanguage(req);
  const messages = PAGE_MESSAGES[language];
  // a constant time for every address, so that nobody can find out which profiles exist
  const body = <Message language={language} path="/masters" title={messages.notFound} lead={messages.notFoundLead} />;
  sendPage(res, { status: 404, title: messages.notFound, language, body });
}

function sendError(logger: Logger, error: unknown, req: Request, res: Response): void {
  const status = statusOf(error);
  if (status >= 500)
    logger.error({ err: error, request_id: res.getHeader('X-Request-Id') }, 'failed to render a public page');
  const language = readLanguage(req);
  const [title, lead] = PAGE_MESSAGES[language].unreadable[500] as [string, string];
  const body = <Message language={language} path="/masters" title={title} lead={lead} />;
  sendPage(res, { status, title, language, body });
}

/**
 * The body need not have been read. Node.js discards the rest as it arrives: a connection closed before its end would be
 * reset, and the sender, or a proxy that passes bodies on as they arrive, might never see the page.
 */
function sendRefusal(req: Request, res: Response, slug: string, status: number): void {
  if (status === 429 || status === 503) res.setHeader('Retry-After', status === 503 ? '10' : '600');
  const language = readLanguage(req);
  const [title, lead] = PAGE_MESSAGES[language].unreadable[status] as [string, string];
  const path = `/masters/${slug}`;
  const body = <Message language={language} path={path} title={title} lead={lead} back={path} />;
  sendPage(res, { status, title, language, body });
}

async function sendProfileList(deps: ProfileRouterDeps, req: Request, res: Response): Promise<void> {
  const language = readLanguage(req);
  const messages = PAGE_MESSAGES[language];
  const material = typeof req.query.material === 'string' ? req.query.material.toWellFormed().slice(0, 40).trim() : '';
  const page = /^[1-9]\d{0,4}$/.test(String(req.query.page ?? '')) ? Number(req.query.page) : 1;
  const listed = await deps.profiles.listPublic(material.replaceAll('\0', '') || undefined, {
    page,
    per_page: PER_PAGE,
  });
  const pages = Math.max(1, Math.ceil(listed.total / PER_PAGE));
  if (page > pages) return sendNotFound(req, res);
  sendPage(res, {
    title: messages.profilesTitle,
    language,
    // search results should not be indexed
    ...(material === '' && {
      description: messages.profilesLead,
      canonical: `${originOf(deps, req)}/masters${page > 1 ? `?page=${page}` : ''}`,
    }),
    body: <ProfileListPage language={language} profiles={listed.items} material={material} page={page} pages={pages} />,
  });
}

async function sendSitemap(deps: ProfileRouterDeps, req: Request, res: Response): Promise<void> {
  const urls = (await deps.profiles.publicSlugs(MAX_IN_SITEMAP)).map(
    ({ slug, updated_at }) =>
      `<url><loc>${originOf(deps, req).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}/masters/${slug}</loc><lastmod>${new Date(updated_at).toISOString()}</lastmod></url>`,
  );
  res.setHeader('Cache-Control', 'no-cache');
  res
    .type('application/xml')
    .send(
      `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`,
    );
}

function sendProfile(
  deps: ProfileRouterDeps,
  req: Request,
  res: Response,
  profile: PublicProfile,
  form: FormState,
  status = 200,
): void {
  const language = readLanguage(req);
  sendPage(res, {
    status,
    title: `${profile.headline} · ${profile.farmName}`,
    language,
    ...(status === 200 && {
      description: (profile.about || profile.headline).replace(/\s+/g, ' ').slice(0, DESCRIPTION_LENGTH).toWellFormed(),
      canonical: `${originOf(deps, req)}/masters/${profile.slug}`,
    }),
    body: <ProfilePage language={language} profile={profile} form={form} />,
  });
}

async function sendPhoto(
  profiles: ProfileRouterDeps['profiles'],
  req: Request,
  res: Response,
  profile: PublicProfile,
): Promise<void> {
  const id = req.params.id as string;
  if (!profile.photos.includes(id)) return sendNotFound(req, res);
  const { type, content } = await profiles.publicPhoto(profile, id);
  res.removeHeader('Vary');
  // photos never change: a new photo has a new address
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  res.setHeader('Content-Security-Policy', UPLOAD_CSP);
  res.type(type);
  sendFile(req, res, 'anyone', content);
}

function sendSent(req: Request, res: Response, { slug }: PublicProfile): void {
  const language = readLanguage(req);
  const { sent: title, sentLead: lead } = PAGE_MESSAGES[language];
  const path = `/masters/${slug}`;
  const body = <Message language={language} path={`${path}/sent`} title={title} lead={lead} back={path} />;
  sendPage(res, { title, language, body });
}

/** Reads a form, unless its sender or too many others are sending, and processes it. */
async function receiveForm(deps: FormDeps, req: Request, res: Response, profile: PublicProfile): Promise<void> {
  const client = clientOf(req);
  const { slug, accountId } = profile;
  const length = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  const isSmall = length <= SMALL_BYTES;
  const refuse = (status: number) => sendRefusal(req, res, slug, status);
  if ((await deps.formLimit.count(client)).isOver) return refuse(429);
  // once the limit is reached, a large body isn't worth reading; a small one is, to show the entered texts again
  if (!isSmall && (await deps.leads.limitOf(accountId, client))) return refuse(429);
  try {
    const form = await readRequestForm(deps.tokens, req, res, accountId);
    await (deps.runLimited(() => processForm(deps, req, res, profile, form)) ?? refuse(503));
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    closeIfUnread(res, error);
    refuse(error.status);
  }
}

/** @throws UnreadableBody */
async function readRequestForm(tokens: FormTokens, req: Request, res: Response, accountId: string): Promise<SentForm> {
  return readForm(req, admitBody(req, res, 'anyone', MAX_FILE_BYTES + MAX_TEXT_BYTES), {
    file: {
      field: 'file',
      maxBytes: MAX_FILE_BYTES,
      isWanted: (fields) => !isTrapped(fields) && tokens.check(accountId, fields.get('token') ?? '') !== 'forged',
    },
    maxBodyBytes: MAX_BODY_BYTES,
    maxTextBytes: MAX_TEXT_BYTES,
    withinMs: UPLOAD_WITHIN_MS,
  });
}

const isTrapped = (fields: ReadonlyMap<string, string>) => Boolean(fields.get(TRAP));

/** Stores the request of a form, or shows the form again with what is wrong. */
async function processForm(
  deps: FormDeps,
  req: Request,
  res: Response,
  profile: PublicProfile,
  form: SentForm,
): Promise<void> {
  const { leads, tokens } = deps;
  const { accountId, slug } = profile;
  const client = clientOf(req);
  const redirectToSent = () => res.redirect(303, `/masters/${slug}/sent?lang=${readLanguage(req)}`);
  // only bots fill in the hidden field; they get the response of a success
  if (isTrapped(form.fields)) return redirectToSent();
  const token = form.fields.get('token') ?? '';
  const tokenStatus = tokens.check(accountId, token);
  const { text, file, faults } = checkForm(form);
  const showAgain = (status: number, more: Partial<FormState>) => {
    // a valid token is kept, so that it isn't too new the second time
    const isValid = tokenStatus === 'good' || tokenStatus === 'too_fast';
    const next = isValid ? token : tokens.issue(accountId);
    const hadFile = form.file !== undefined;
    sendProfile(deps, req, res, profile, { token: next, text, faults, hadFile, ...more }, status);
  };
  if (tokenStatus !== 'good') return showAgain(422, { trouble: tokenStatus === 'too_fast' ? 'too_fast' : 'expired' });
  if (faults.length > 0) return showAgain(422, {});
  const result =
    (await leads.limitOf(accountId, client)) ?? (await leads.submit({ accountId, text, file, token, client }));
  if (result === 'accepted') return redirectToSent();
  if (result === 'full') return showAgain(422, { faults: [['file', 'no_room']] });
  res.setHeader('Retry-After', '3600');
  showAgain(429, { trouble: result });
}
