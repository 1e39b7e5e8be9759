import { renderPage } from '../http/page.tsx';
import type { Reply } from '../http/route.ts';
import type { Language } from '../shared/language.ts';
import type { Profile } from './lead-schema.ts';
import { ProfilePage } from './profile/pages.tsx';

/** The workshop profile as its owner previews it: with photos that are not public yet and a form that can't be sent. */
export async function previewOf(profile: Profile & { farmName: string }, language: Language): Promise<Reply> {
  const { html, headers } = await renderPage({
    title: `${profile.headline} · ${profile.farmName}`,
    language,
    body: (
      <ProfilePage
        language={language}
        profile={profile}
        photoOf={(id) => `/console/api/profile/photos/${id}`}
        form={undefined}
      />
    ),
  });
  return { status: 200, bytes: Buffer.from(html), headers };
}
