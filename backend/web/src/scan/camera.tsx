import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconCamera } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useWordsOf } from '../i18n/i18n';
import { createDecoder } from './decoder';
import { WORDS } from './messages';

const LOOK_MS = 150;

type Trouble = 'notSecure' | 'refused' | 'noCamera' | 'cameraFailed';

const TROUBLES: Partial<Record<string, Trouble>> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'noCamera',
  OverconstrainedError: 'noCamera',
};

/** The camera, off until it is asked for. */
export function Camera({ onText }: { onText(text: string): void }) {
  const said = useWordsOf(WORDS);
  const [isOn, setOn] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();

  function toggle() {
    setTrouble(undefined);
    // on plain http in a LAN a browser has no such thing
    if (!isOn && !navigator.mediaDevices?.getUserMedia) setTrouble('notSecure');
    else setOn(!isOn);
  }

  return (
    <Stack gap="xs">
      {trouble && (
        <Alert color="yellow" role="alert">
          {said[trouble]}
        </Alert>
      )}
      {isOn && (
        <Picture
          onText={onText}
          fail={(name) => {
            setOn(false);
            setTrouble(TROUBLES[name] ?? 'cameraFailed');
          }}
        />
      )}
      <Button variant="default" leftSection={<IconCamera size={16} aria-hidden />} onClick={toggle}>
        {isOn ? said.stopCamera : said.camera}
      </Button>
    </Stack>
  );
}

function Picture({ onText, fail }: { onText(text: string): void; fail(name: string): void }) {
  const said = useWordsOf(WORDS);
  const video = useRef<HTMLVideoElement>(null);
  const calls = useRef({ onText, fail });
  calls.current = { onText, fail };

  useEffect(() => {
    let isOver = false;
    let stream: MediaStream | undefined;
    async function look() {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      const [decode, element] = [await createDecoder(), video.current];
      if (isOver || !element) return;
      element.srcObject = stream;
      await element.play();
      let last: string | undefined;
      while (!isOver) {
        const text = await decode(element).catch(() => undefined);
        // a label is told of once, however long it is held there
        if (text !== undefined && text !== last && !isOver) calls.current.onText(text);
        last = text ?? last;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    }
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    look()
      .catch((error: Error) => isOver || calls.current.fail(error.name))
      .finally(() => isOver && stop());
    return () => {
      isOver = true;
      stop();
    };
  }, []);

  return (
    <>
      <video
        ref={video}
        muted
        playsInline
        aria-label={said.video}
        style={{ width: '100%', maxHeight: '50vh', background: '#000' }}
      />
      <Text size="sm" role="status">
        {said.looking}
      </Text>
    </>
  );
}
