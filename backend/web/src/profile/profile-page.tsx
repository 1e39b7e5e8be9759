import { Anchor, Button, Group, Paper, Stack, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../api';
import { changesOf } from '../drafts/changes';
import { DraftNotice } from '../drafts/draft-notice';
import { useDraftForm } from '../drafts/use-draft-form';
import { useSpeech, useWordsOf } from '../language';
import { Failed, Loading, Page } from '../page';
import { sayProblem } from '../say-problem';
import { Photos } from './photos';
import { PROFILE, type Profile, type ProfilePatch, profileApi, profileQuery } from './profile-api';
import { WORDS } from './words';

/** What the account shows to everybody, once its owner wants it to. */
export function ProfilePage() {
  const words = useWordsOf(WORDS);
  const { data, error, refetch } = useQuery(profileQuery);
  return (
    <Page title={words.title}>
      {data ? (
        <Stack gap="md" maw={720}>
          <Text>{words.lead}</Text>
          <Visibility profile={data} />
          <TextsForm profile={data} />
          <Photos profile={data} />
        </Stack>
      ) : error ? (
        <Failed error={error} retry={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Visibility({ profile }: { profile: Profile }) {
  const own = useWordsOf(WORDS);
  const { words, language } = useSpeech();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (is_public: boolean) => profileApi.save({ is_public }),
    onSuccess: (saved) => client.setQueryData(PROFILE, saved),
    onError: (error) => {
      const isHeadline = error instanceof Problem && error.faults.some(({ pointer }) => pointer === '/headline');
      notifications.show({ color: 'red', message: isHeadline ? own.headlineRule : sayProblem(error, words) });
    },
  });
  return (
    <Paper withBorder radius="md" p="md">
      <Group justify="space-between" gap="sm">
        <Switch
          label={own.show}
          description={profile.is_public ? own.shown : own.hidden}
          checked={change.isPending ? change.variables : profile.is_public}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
        <Group gap="sm">
          {profile.is_public ? (
            <Anchor
              href={`/masters/${profile.slug}?lang=${language}`}
              target="_blank"
              rel="noopener"
              underline="always"
            >
              {own.open}
            </Anchor>
          ) : (
            <Anchor
              href={`/console/api/profile/preview?lang=${language}`}
              target="_blank"
              rel="noopener"
              underline="always"
            >
              {own.preview}
            </Anchor>
          )}
          <Anchor href={`/masters?lang=${language}`} target="_blank" rel="noopener" underline="always">
            {own.list}
          </Anchor>
        </Group>
      </Group>
    </Paper>
  );
}

const SLUG = /^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/;

interface Texts extends Pick<Profile, 'slug' | 'headline' | 'about' | 'materials' | 'contact'> {}

const toTexts = ({ slug, headline, about, materials, contact }: Profile): Texts => ({
  slug,
  headline,
  about,
  materials,
  contact,
});

/** Only what was edited; an address that was emptied stays as it is. */
function toPatch(texts: Texts, began: Texts): ProfilePatch {
  const { slug, ...edited } = changesOf(texts, began);
  return { ...edited, ...(slug && { slug }) };
}

function TextsForm({ profile }: { profile: Profile }) {
  const own = useWordsOf(WORDS);
  const { words } = useSpeech();
  const client = useQueryClient();
  const draft = useDraftForm('profile', toTexts(profile), {
    slug: (text) => (text === '' || SLUG.test(text) ? null : own.slugRule),
    headline: (text) => (profile.is_public && text.trim() === '' ? own.headlineRule : null),
  });
  const { form } = draft;
  const save = useMutation({
    mutationFn: (texts: Texts) => profileApi.save(toPatch(texts, draft.began)),
    onSuccess(saved, sent) {
      draft.saved(toTexts(saved), sent);
      client.setQueryData(PROFILE, saved);
      notifications.show({ message: own.saved });
    },
    onError(error) {
      const faults = error instanceof Problem ? error.faults : [];
      for (const { pointer, detail } of faults) {
        const [, field = ''] = pointer.split('/');
        form.setFieldError(field, field === 'slug' ? own.slugTaken : detail);
      }
      if (faults.length === 0) notifications.show({ color: 'red', message: sayProblem(error, words) });
    },
  });
  const field = form.getInputProps;
  return (
    <Paper withBorder radius="md" p="md">
      <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <DraftNotice draft={draft} />
        <Stack gap="sm">
          <TextInput label={own.headline} description={own.headlineHint} maxLength={120} {...field('headline')} />
          <TextInput
            label={own.slug}
            description={own.slugHint}
            leftSection={<Text size="sm">/masters/</Text>}
            leftSectionWidth={82}
            maxLength={40}
            autoCapitalize="none"
            spellCheck={false}
            {...field('slug')}
          />
          <Textarea
            label={own.about}
            description={own.aboutHint}
            autosize
            minRows={4}
            maxRows={14}
            maxLength={5000}
            {...field('about')}
          />
          <TagsInput
            label={own.materials}
            description={own.materialsHint}
            data={['PLA', 'PETG', 'ABS', 'ASA', 'TPU', 'PA', 'PC']}
            maxTags={30}
            maxLength={40}
            acceptValueOnBlur
            {...field('materials')}
          />
          <Textarea
            label={own.contact}
            description={own.contactHint}
            autosize
            minRows={2}
            maxLength={500}
            {...field('contact')}
          />
          <Button type="submit" loading={save.isPending} style={{ alignSelf: 'flex-start' }}>
            {own.save}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
