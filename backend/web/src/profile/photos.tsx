import { Button, FileButton, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { IconAction } from '../ui/icon-action';
import { IconArrowLeft, IconArrowRight, IconPhotoPlus } from '../ui/icons.tsx';
import { MESSAGES } from './messages';
import classes from './profile.module.css';
import { MAX_PHOTOS, PROFILE, type Profile, photoAddress, profileApi } from './profile-api';
import { resizePhoto } from './resize-photo';

/** The photos of the public page, in order. */
export function Photos({ profile }: { profile: Profile }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages } = useI18n();
  const client = useQueryClient();
  const [sent, setSent] = useState(0);
  const shown = {
    onSuccess: (saved: Profile) => client.setQueryData(PROFILE, saved),
    onError: (error: Error) => notifications.show({ color: 'red', message: formatError(error, messages) }),
  };
  const add = useMutation({
    async mutationFn(files: File[]) {
      setSent(0);
      for (const [index, file] of files.slice(0, MAX_PHOTOS - profile.photos.length).entries()) {
        const small = await resizePhoto(file).catch(() => undefined);
        if (!small) {
          notifications.show({ color: 'red', message: pageMessages.noPicture(file.name) });
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
            {pageMessages.photos}
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
                {pageMessages.addPhotos}
              </Button>
            )}
          </FileButton>
        </Group>
        <Text size="sm">{pageMessages.photosHint}</Text>
        {add.isPending && <Progress value={sent} aria-label={pageMessages.sending} />}
        <ul className={classes.photos}>
          {profile.photos.map((id, index) => (
            <li key={id}>
              <img src={photoAddress(id)} alt={pageMessages.photo(index + 1)} />
              <Group gap={4} mt={4} wrap="nowrap">
                <IconAction
                  variant="default"
                  size="md"
                  label={pageMessages.forward(index + 1)}
                  disabled={index === 0 || place.isPending}
                  onClick={() => move(index, index - 1)}
                >
                  <IconArrowLeft size={16} aria-hidden />
                </IconAction>
                <IconAction
                  variant="default"
                  size="md"
                  label={pageMessages.back(index + 1)}
                  disabled={index === profile.photos.length - 1 || place.isPending}
                  onClick={() => move(index, index + 1)}
                >
                  <IconArrowRight size={16} aria-hidden />
                </IconAction>
                <ConfirmButton
                  question={pageMessages.removeAsk}
                  subject={pageMessages.photo(index + 1)}
                  loading={remove.isPending}
                  onConfirm={() => remove.mutate(id)}
                >
                  {pageMessages.remove}
                </ConfirmButton>
              </Group>
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  );
}
