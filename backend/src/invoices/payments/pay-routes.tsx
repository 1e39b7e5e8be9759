import { type NextFunction, type Request, type Response, Router } from 'express';
import type { ReactNode } from 'react';
import type { Logger } from '../../../../common/src/logger.ts';
import { limitByAddress } from '../../http/address-limit.ts';
import { sendFile } from '../../http/body-reader.ts';
import { type Page, readLanguage, sendPage } from '../../http/page.tsx';
import { sendProblem } from '../../http/respond.ts';
import { DomainError } from '../../shared/errors.ts';
import type { Language } from '../../shared/language.ts';
import type { RateLimit } from '../../shared/rate-limit.ts';
import { DocumentView } from '../document-view.tsx';
import { sayAmount, sayDay } from '../money.ts';
import { PAGE_MESSAGES } from '../page-messages.ts';
import type { Payable, PayService } from './pay-service.ts';

/** Stripe's payment pages, the only other site that our form may lead to. */
const CHECKOUT_PAGES = ['https://checkout.stripe.com'];

/** `/pay/<token>`: the invoice as the customer sees it, with a button to pay it. Works without scripts. */
export function payRoutes({
  pay,
  limit,
  checkoutLimit,
  logger,
}: {
  pay: PayService;
  /** requests per address; undefined: no limit */
  limit: RateLimit | undefined;
  /** started payments per address */
  checkoutLimit: RateLimit | undefined;
  logger: Logger;
}): Router {
  const router = Router({ caseSensitive: true });
  const limited = (limit: RateLimit | undefined) =>
    limitByAddress(limit, (req, res) =>
      show(req, res, (messages) => ({ status: 429, title: messages.tooMany, body: messages.wait })),
    );

  router.use((_req: Request, res: Response, next: NextFunction) => {
    // the address is the credential, so it must not appear in referrers and caches
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.setHeader('Cache-Control', 'private, no-store');
    next();
  });
  router.use(limited(limit));

  const answer =
    (work: (req: Request, res: Response) => Promise<void>) => (req: Request, res: Response, next: NextFunction) =>
      void work(req, res).catch(next);
  const tokenOf = (req: Request) => String(req.params.token);

  router.get(
    '/:token',
    answer(async (req, res) => {
      const payable = await pay.find(tokenOf(req));
      if (!payable) return sendNotFound(req, res);
      sendPayPage(req, res, payable, req.query.paid === '1' ? 'sent' : undefined);
    }),
  );

  router.get(
    '/:token/document',
    answer(async (req, res) => {
      const document = await pay.findDocument(tokenOf(req));
      if (!document) return sendNotFound(req, res);
      const { language, number } = document;
      const title = PAGE_MESSAGES[language].invoice(number);
      const body = (
        <main>
          <DocumentView document={document} heading="h1" />
        </main>
      );
      sendPage(res, { title, language, body });
    }),
  );

  router.get(
    '/:token/invoice.pdf',
    answer(async (req, res) => {
      const pdf = await pay.findPdf(tokenOf(req));
      if (!pdf) return sendNotFound(req, res);
      res.setHeader('X-Robots-Tag', 'noindex');
      res.setHeader('Content-Disposition', `inline; filename="invoice-${pdf.number}.pdf"`);
      res.type('application/pdf');
      sendFile(req, res, 'anyone', pdf.content);
    }),
  );

  router.post(
    '/:token/checkout',
    limited(checkoutLimit),
    answer(async (req, res) => {
      const token = tokenOf(req);
      const started = await pay.startCheckout(token, readLanguage(req));
      if (!started) return sendNotFound(req, res);
      if (started.to !== undefined) return res.redirect(303, started.to);
      const payable = await pay.find(token);
      if (!payable) return sendNotFound(req, res);
      sendPayPage(req, res, payable, started.why);
    }),
  );

  router.all(['/:token', '/:token/document', '/:token/invoice.pdf', '/:token/checkout'], (_req, _res, next) =>
    next(new DomainError('method_not_allowed', "This method isn't allowed here.")),
  );
  router.use((req: Request, res: Response) => sendNotFound(req, res));
  router.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    if (error instanceof DomainError) return sendProblem(res, error, String(res.getHeader('X-Request-Id')), logger);
    logger.error({ err: error, request_id: res.getHeader('X-Request-Id') }, 'failed to render a pay page');
    show(req, res, (messages) => ({ status: 503, title: messages.broken, body: messages.brokenLead }));
  });
  return router;
}

type PageMessages = (typeof PAGE_MESSAGES)[Language];

/** A page with a message only. */
function show(
  req: Request,
  res: Response,
  toPage: (messages: PageMessages) => Pick<Page, 'status' | 'title'> & { body: ReactNode },
): void {
  const language = readLanguage(req);
  const { body, ...page } = toPage(PAGE_MESSAGES[language]);
  sendPage(res, {
    ...page,
    language,
    body: (
      <main>
        <h1>{page.title}</h1>
        <p>{body}</p>
      </main>
    ),
  });
}

/** The same page for every invalid link, whatever the reason. */
const sendNotFound = (req: Request, res: Response): void =>
  show(req, res, (messages) => ({ status: 404, title: messages.notFound, body: messages.notFoundLead }));

type Happened = 'sent' | 'nothing_due' | 'no_provider' | 'failed' | undefined;

function sendPayPage(req: Request, res: Response, payable: Payable, message: Happened): void {
  const { document } = payable;
  // one language on the whole page, unless the reader chooses the other one
  const language = readLanguage(req, document.language);
  const messages = PAGE_MESSAGES[language];
  const base = `/pay/${req.params.token}`;
  const other: Language = language === 'en' ? 'ru' : 'en';
  sendPage(res, {
    status: message === 'failed' ? 503 : 200,
    title: `${messages.invoice(document.number)} · ${document.seller.name}`,
    language,
    formTargets: CHECKOUT_PAGES,
    body: (
      <main>
        <p className="screen soft">
          <a href={`${base}?lang=${other}`} lang={other} hrefLang={other}>
            {PAGE_MESSAGES[other].thisLanguage}
          </a>
        </p>
        <h1>{messages.invoice(document.number)}</h1>
        <p className="soft">{document.seller.name}</p>
        <section className="panel" aria-label={messages.state}>
          <Standing payable={payable} messages={messages} language={language} message={message} />
          {payable.checkout && (
            <form method="post" action={`${base}/checkout?lang=${language}`} className="screen">
              <button type="submit">{messages.pay(say(payable.amountDue, payable, language))}</button>
              {payable.checkout.isTest && <p className="soft">{messages.testMode}</p>}
            </form>
          )}
          <p className="screen after">
            <a href={`${base}/invoice.pdf`}>{messages.pdf}</a>
            {' · '}
            <a href={`${base}/document`}>{messages.print}</a>
          </p>
        </section>
        {document.language !== language && <p className="screen soft">{messages.documentIn[document.language]}</p>}
        <DocumentView document={document} heading="h2" />
      </main>
    ),
  });
}

const say = (minor: number, { document }: Payable, language: Language): string =>
  sayAmount(minor, document.currency, language, document.digits);

interface StandingProps {
  payable: Payable;
  messages: PageMessages;
  language: Language;
  message: Happened;
}

/** A summary: the amount due, or that nothing is due. */
function Standing({ payable, messages, language, message }: StandingProps) {
  const { status, amountDue, received, refunded, paidAt, checkout, document } = payable;
  const amount = (minor: number) => say(minor, payable, language);
  return (
    <>
      {status === 'void' && (
        <p className="big bad" role="status">
          {messages.void}
        </p>
      )}
      {status === 'paid' && (
        <p className="big good" role="status">
          {messages.paid(paidAt === null ? '' : sayDay(paidAt.slice(0, 10), language))}
        </p>
      )}
      {status === 'issued' && (
        <>
          <p className="big">{messages.due(amount(amountDue))}</p>
          {document.due_date !== null && (
            <p className="soft">{messages.dueUntil(sayDay(document.due_date, language))}</p>
          )}
          {received > 0 && <p className="soft">{messages.received(amount(received))}</p>}
        </>
      )}
      {refunded > 0 && <p>{messages.refunded(amount(refunded))}</p>}
      {message === 'sent' && status === 'issued' && (
        <p className="good" role="status">
          {messages.sent}
        </p>
      )}
      {message === 'failed' && (
        <p className="bad" role="alert">
          {messages.failed}
        </p>
      )}
      {(message === 'no_provider' || (status === 'issued' && !checkout)) && <p>{messages.otherwise}</p>}
    </>
  );
}
