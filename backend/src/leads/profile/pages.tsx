import type { ReactNode } from 'react';
import type { Language } from '../../shared/language.ts';
import type { LeadText, Profile } from '../lead-schema.ts';
import { type FormFault, type FormField, type FormTrouble, PAGE_MESSAGES } from './messages.ts';
import type { PublicProfile } from './profile-store.ts';

/**
 * The name of a field that people don't see. Only programs fill it in: browsers complete names that are common in
 * forms, whatever `autocomplete` says, so it resembles none.
 */
export const TRAP = 'leave_blank';

const EMPTY_TEXT: LeadText = { description: '', contact: '', client_email: '', budget: '', deadline: '' };

/** Adds the current language to an address. */
const inLanguage = (path: string, language: Language): string =>
  `${path}${path.includes('?') ? '&' : '?'}lang=${language}`;

/** The frame of every page, with links to all workshops and to the other language. */
function Frame({ language, path, children }: { language: Language; path: string; children: ReactNode }) {
  const messages = PAGE_MESSAGES[language];
  const other = language === 'en' ? 'ru' : 'en';
  return (
    <>
      <header className="top">
        <a href={inLanguage('/masters', language)}>{messages.profiles}</a>
        <a href={inLanguage(path, other)} lang={other} hrefLang={other}>
          {messages.otherLanguage}
        </a>
      </header>
      <main>{children}</main>
    </>
  );
}

/** A page with a message and a link. */
export function Message({
  language,
  path,
  title,
  lead,
  back,
}: {
  language: Language;
  path: string;
  title: string;
  lead: string;
  back?: string;
}) {
  return (
    <Frame language={language} path={path}>
      <h1>{title}</h1>
      <p>{lead}</p>
      {back && (
        <p>
          <a href={inLanguage(back, language)}>{PAGE_MESSAGES[language].back}</a>
        </p>
      )}
    </Frame>
  );
}

export function ProfileListPage({
  language,
  profiles,
  material,
  page,
  pages,
}: {
  language: Language;
  profiles: readonly PublicProfile[];
  material: string;
  page: number;
  pages: number;
}) {
  const messages = PAGE_MESSAGES[language];
  const addressOf = (wanted: number, of = material) => {
    const query = new URLSearchParams({ ...(of && { material: of }), ...(wanted > 1 && { page: String(wanted) }) });
    return query.size > 0 ? `/masters?${query}` : '/masters';
  };
  return (
    <Frame language={language} path={addressOf(page)}>
      <h1>{messages.profilesTitle}</h1>
      <p className="soft">{messages.profilesLead}</p>
      {(profiles.length > 0 || material) && (
        <search>
          <form action="/masters" method="get">
            <label htmlFor="material">
              {messages.search} <span className="hint">{messages.searchHint}</span>
            </label>
            <div className="row">
              <input id="material" name="material" type="search" defaultValue={material} maxLength={40} />
              <input type="hidden" name="lang" value={language} />
              <button type="submit">{messages.find}</button>
            </div>
          </form>
        </search>
      )}
      {profiles.map(({ slug, farmName, headline, about, materials, photos }) => (
        <article key={slug} className="panel master">
          {photos[0] && <img src={`/masters/${slug}/photos/${photos[0]}`} alt="" loading="lazy" />}
          <div>
            <h2>
              <a href={inLanguage(`/masters/${slug}`, language)}>{headline}</a>
            </h2>
            <p className="soft">{farmName}</p>
            <p className="clip">{about}</p>
            <Materials materials={materials} />
          </div>
        </article>
      ))}
      {profiles.length === 0 && (
        <p>
          {material ? messages.nothingFound : messages.noProfiles}{' '}
          {material && <a href={inLanguage('/masters', language)}>{messages.showAll}</a>}
        </p>
      )}
      {pages > 1 && (
        <nav className="pager" aria-label={messages.page(page, pages)}>
          {page > 1 && (
            <a rel="prev" href={inLanguage(addressOf(page - 1), language)}>
              {messages.previous}
            </a>
          )}
          <span className="soft">{messages.page(page, pages)}</span>
          {page < pages && (
            <a rel="next" href={inLanguage(addressOf(page + 1), language)}>
              {messages.next}
            </a>
          )}
        </nav>
      )}
    </Frame>
  );
}

const Materials = ({ materials }: { materials: readonly string[] }) =>
  materials.length > 0 && (
    <ul className="tags">
      {materials.map((material) => (
        <li key={material}>{material}</li>
      ))}
    </ul>
  );

export interface FormState {
  token: string;
  text?: LeadText;
  faults?: [FormField, FormFault][];
  trouble?: FormTrouble | undefined;
  /** a file was selected and has to be selected again */
  hadFile?: boolean;
}

export function ProfilePage({
  language,
  profile,
  photoOf = (id) => `/masters/${profile.slug}/photos/${id}`,
  form,
}: {
  language: Language;
  profile: Profile & { farmName: string };
  photoOf?: (id: string) => string;
  form: FormState | undefined;
}) {
  const messages = PAGE_MESSAGES[language];
  const path = `/masters/${profile.slug}`;
  return (
    <Frame language={language} path={path}>
      <p className="farm">{profile.farmName}</p>
      <h1>{profile.headline}</h1>
      {profile.about && <p className="text">{profile.about}</p>}
      {profile.photos.length > 0 && (
        <section aria-label={messages.photos} className="photos">
          {profile.photos.map((id, index) => (
            <img key={id} src={photoOf(id)} alt={messages.photo(index + 1, profile.photos.length)} loading="lazy" />
          ))}
        </section>
      )}
      {profile.materials.length > 0 && (
        <section>
          <h2>{messages.materials}</h2>
          <Materials materials={profile.materials} />
        </section>
      )}
      {profile.contact && (
        <section>
          <h2>{messages.contact}</h2>
          <p className="text">{profile.contact}</p>
        </section>
      )}
      <RequestForm language={language} action={inLanguage(`${path}/requests`, language)} form={form} />
    </Frame>
  );
}

/** @param form undefined: the owner's preview, where nothing can be sent */
function RequestForm({ language, action, form }: { language: Language; action: string; form: FormState | undefined }) {
  const messages = PAGE_MESSAGES[language];
  const { text = EMPTY_TEXT, faults = [], trouble, hadFile = false } = form ?? {};
  const faultOf = new Map(faults);
  const about = (field: FormField) => ({
    id: field,
    name: field,
    'aria-invalid': faultOf.has(field) || undefined,
    'aria-describedby': faultOf.has(field) ? `${field}-fault` : undefined,
  });
  const fault = (field: FormField) =>
    faultOf.has(field) && (
      <span className="bad" id={`${field}-fault`}>
        {messages.faults[faultOf.get(field) as FormFault]}
      </span>
    );
  const label = (field: FormField, isOptional = true) => (
    <label htmlFor={field}>
      {messages.fields[field]} {isOptional && <span className="soft plain">({messages.optional})</span>}
      {(field === 'description' || field === 'file') && <span className="hint">{messages.hints[field]}</span>}
    </label>
  );
  return (
    <section className="panel" id="request">
      <h2>{messages.request}</h2>
      <p className="soft">{messages.requestLead}</p>
      {(faults.length > 0 || trouble) && (
        <div role="alert" className="alert">
          <strong>{messages.sendAgain}</strong>
          {trouble && <p>{messages.troubles[trouble]}</p>}
          {faults.length > 0 && (
            <ul>
              {faults.map(([field, what]) => (
                <li key={field}>
                  <a href={`#${field}`}>{messages.fields[field]}</a>: {messages.faults[what]}
                </li>
              ))}
            </ul>
          )}
          {hadFile && !faultOf.has('file') && <p>{messages.chooseAgain}</p>}
        </div>
      )}
      {/* noValidate: the server validates the form, so that messages are in the reader's language and work without scripts */}
      <form action={action} method="post" encType="multipart/form-data" noValidate>
        <input type="hidden" name="token" value={form?.token ?? ''} />
        <div className="trap" aria-hidden="true">
          <label htmlFor={TRAP}>{messages.trap}</label>
          <input
            id={TRAP}
            name={TRAP}
            type="text"
            tabIndex={-1}
            autoComplete="off"
            data-1p-ignore
            data-lpignore="true"
          />
        </div>
        {label('description', false)}
        <textarea {...about('description')} required maxLength={12_000} defaultValue={text.description} />
        {fault('description')}
        {label('client_email', false)}
        <input
          {...about('client_email')}
          type="email"
          required
          autoComplete="email"
          maxLength={254}
          defaultValue={text.client_email}
        />
        {fault('client_email')}
        {label('contact')}
        <input {...about('contact')} type="text" autoComplete="name" maxLength={300} defaultValue={text.contact} />
        {fault('contact')}
        <div className="pair">
          <div>
            {label('budget')}
            <input {...about('budget')} type="text" maxLength={200} defaultValue={text.budget} />
            {fault('budget')}
          </div>
          <div>
            {label('deadline')}
            <input {...about('deadline')} type="text" maxLength={200} defaultValue={text.deadline} />
            {fault('deadline')}
          </div>
        </div>
        {label('file')}
        <input {...about('file')} type="file" accept=".stl,.3mf,.obj,.step,.stp,.pdf,.png,.jpg,.jpeg,.webp,.zip" />
        {fault('file')}
        <button type="submit" disabled={form === undefined}>
          {messages.send}
        </button>
      </form>
    </section>
  );
}
