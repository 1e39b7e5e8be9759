import { Anchor, Button, Group, Paper, Stack, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Problem } from '../api/client';
import { changesOf } from '../drafts/changes';
import { DraftBanner } from '../drafts/draft-banner';
import { useDraftForm } from '../drafts/use-draft-form';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { NotLoaded, Page } from '../ui/page';
import { MESSAGES } from './messages';
import { Photos } from './photos';
import { PROFILE, type Profile, type ProfilePatch, profileApi, profileQuery } from './profile-api';

/** Editor of the public workshop profile. */
export function ProfilePage() {
  const messages = useMessages(MESSAGES);
  const { data, error, refetch } = useQuery(profileQuery);
  return (
    <Page title={messages.title}>
      {data ? (
        <Stack gap="md" maw={720}>
          <Text>{messages.lead}</Text>
          <Visibility profile={data} />
          <TextsForm profile={data} />
          <Photos profile={data} />
        </Stack>
      ) : (
        <NotLoaded error={error} retry={refetch} />
      )}
    </Page>
  );
}

function Visibility({ profile }: { profile: Profile }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages, language } = useI18n();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (is_public: boolean) => profileApi.save({ is_public }),
    onSuccess: (saved) => client.setQueryData(PROFILE, saved),
    onError: (error) => {
      const isHeadline = error instanceof Problem && error.faults.some(({ pointer }) => pointer === '/headline');
      notifications.show({
        color: 'red',
        message: isHeadline ? pageMessages.headlineRule : formatError(error, messages),
      });
    },
  });
  return (
    <Paper withBorder radius="md" p="md">
      <Group justify="space-between" gap="sm">
        <Switch
          label={pageMessages.show}
          description={profile.is_public ? pageMessages.shown : pageMessages.hidden}
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
              {pageMessages.open}
            </Anchor>
          ) : (
            <Anchor
              href={`/console/api/profile/preview?lang=${language}`}
              target="_blank"
              rel="noopener"
              underline="always"
            >
              {pageMessages.preview}
            </Anchor>
          )}
          <Anchor href={`/masters?lang=${language}`} target="_blank" rel="noopener" underline="always">
            {pageMessages.list}
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

/** Only the edited fields; an empty address is left out, so that the saved one stays. */
function toPatch(texts: Texts, initial: Texts): ProfilePatch {
  const { slug, ...edited } = changesOf(texts, initial);
  return { ...edited, ...(slug && { slug }) };
}

function TextsForm({ profile }: { profile: Profile }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages } = useI18n();
  const client = useQueryClient();
  const draft = useDraftForm('profile', toTexts(profile), {
    validate: {
      slug: (text) => (text === '' || SLUG.test(text) ? null : pageMessages.slugRule),
      headline: (text) => (profile.is_public && text.trim() === '' ? pageMessages.headlineRule : null),
    },
  });
  const { form } = draft;
  const save = useMutation({
    mutationFn: (texts: Texts) => profileApi.save(toPatch(texts, draft.initial)),
    onSuccess(saved, sent) {
      draft.saved(toTexts(saved), sent);
      client.setQueryData(PROFILE, saved);
      notifications.show({ message: pageMessages.saved });
    },
    onError(error) {
      const faults = error instanceof Problem ? error.faults : [];
      for (const { pointer, detail } of faults) {
        const [, field = ''] = pointer.split('/');
        form.setFieldError(field, field === 'slug' ? pageMessages.slugTaken : detail);
      }
      if (faults.length === 0) notifications.show({ color: 'red', message: formatError(error, messages) });
    },
  });
  const field = form.getInputProps;
  return (
    <Paper withBorder radius="md" p="md">
      <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <DraftBanner
          draft={draft}
          fields={{
            headline: { label: pageMessages.headline },
            slug: { label: pageMessages.slug },
            about: { label: pageMessages.about },
            materials: { label: pageMessages.materials, show: ({ materials }) => materials.join(', ') },
            contact: { label: pageMessages.contact },
          }}
        />
        <Stack gap="sm">
          <TextInput
            label={pageMessages.headline}
            description={pageMessages.headlineHint}
            maxLength={120}
            {...field('headline')}
          />
          <TextInput
            label={pageMessages.slug}
            description={pageMessages.slugHint}
            leftSection={<Text size="sm">/workshops/</Text>}
            leftSectionWidth={104}
            maxLength={40}
            autoCapitalize="none"
            spellCheck={false}
            {...field('slug')}
          />
          <Textarea
            label={pageMessages.about}
            description={pageMessages.aboutHint}
            autosize
            minRows={4}
            maxRows={14}
            maxLength={5000}
            {...field('about')}
          />
          <TagsInput
            label={pageMessages.materials}
            description={pageMessages.materialsHint}
            data={['PLA', 'PETG', 'ABS', 'ASA', 'TPU', 'PA', 'PC']}
            maxTags={30}
            maxLength={40}
            acceptValueOnBlur
            {...field('materials')}
          />
          <Textarea
            label={pageMessages.contact}
            description={pageMessages.contactHint}
            autosize
            minRows={2}
            maxLength={500}
            {...field('contact')}
          />
          <Button
            type="submit"
            disabled={draft.isUndecided}
            loading={save.isPending}
            style={{ alignSelf: 'flex-start' }}
          >
            {pageMessages.save}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
