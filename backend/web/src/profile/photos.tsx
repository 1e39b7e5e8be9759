import { Button, FileButton, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowLeft, IconArrowRight, IconPhotoPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AskFirst } from '../ui/confirm-button';
import { IconAction } from '../ui/icon-action';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { sayProblem } from '../api/format-error';
import classes from './profile.module.css';
import { MAX_PHOTOS, PROFILE, type Profile, photoAddress, profileApi } from './profile-api';
import { shrink } from './resize-photo';
import { WORDS } from './messages';

/** The pictures of the page, in their order. */
export function Photos({ profile }: { profile: Profile }) {
  const own = useWordsOf(WORDS);
  const { words } = useSpeech();
  const client = useQueryClient();
  const [sent, setSent] = useState(0);
  const shown = {
    onSuccess: (saved: Profile) => client.setQueryData(PROFILE, saved),
    onError: (error: Error) => notifications.show({ color: 'red', message: sayProblem(error, words) }),
  };
  const add = useMutation({
    async mutationFn(files: File[]) {
      setSent(0);
      for (const [index, file] of files.slice(0, MAX_PHOTOS - profile.photos.length).entries()) {
        const small = await shrink(file).catch(() => undefined);
        if (!small) {
          notifications.show({ color: 'red', message: own.noPicture(file.name) });
          continue;
        }
        const saved = await profileApi.addPhoto(small, (share) => setSent(((index + share) / files.length) * 100));
        client.setQueryData(PROFILE, saved);
      }
    },
    onError: shown.onError,
  });
  const remove = useMutation({ mutationFn: profileApi.removePhoto, ...shown });
  const place = useMutation({ mutationFn: profileApi.placePhotos, ...shown });

  function move(from: number, to: number) {
    const ids = [...profile.photos];
    ids.splice(to, 0, ...ids.splice(from, 1));
    place.mutate(ids);
  }

  return (
    <Paper withBorder radius="md" p="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {own.photos}
          </Title>
          <FileButton multiple accept="image/png,image/jpeg,image/webp" onChange={(files) => add.mutate(files)}>
            {(button) => (
              <Button
                {...button}
                size="xs"
                variant="default"
                leftSection={<IconPhotoPlus size={16} aria-hidden />}
                loading={add.isPending}
                disabled={profile.photos.length >= MAX_PHOTOS}
              >
                {own.addPhotos}
              </Button>
            )}
          </FileButton>
        </Group>
        <Text size="sm">{own.photosHint}</Text>
        {add.isPending && <Progress value={sent} aria-label={own.sending} />}
        <ul className={classes.photos}>
          {profile.photos.map((id, index) => (
            <li key={id}>
              <img src={photoAddress(id)} alt={own.photo(index + 1)} />
              <Group gap={4} mt={4} wrap="nowrap">
                <IconAction
                  variant="default"
                  size="md"
                  label={own.forward(index + 1)}
                  disabled={index === 0 || place.isPending}
                  onClick={() => move(index, index - 1)}
                >
                  <IconArrowLeft size={16} aria-hidden />
                </IconAction>
                <IconAction
                  variant="default"
                  size="md"
                  label={own.back(index + 1)}
                  disabled={index === profile.photos.length - 1 || place.isPending}
                  onClick={() => move(index, index + 1)}
                >
                  <IconArrowRight size={16} aria-hidden />
                </IconAction>
                <AskFirst
                  question={own.removeAsk}
                  of={own.photo(index + 1)}
                  loading={remove.isPending}
                  act={() => remove.mutate(id)}
                >
                  {own.remove}
                </AskFirst>
              </Group>
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  );
}
