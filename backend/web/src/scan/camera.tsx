import { Alert, Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useMessages } from '../i18n/i18n';
import { IconCamera } from '../ui/icons.tsx';
import { createDecoder } from './decoder';
import { MESSAGES } from './messages';

const SCAN_INTERVAL_MS = 150;

type CameraError = 'notSecure' | 'refused' | 'noCamera' | 'cameraFailed';

const CAMERA_ERRORS: Partial<Record<string, CameraError>> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'noCamera',
  OverconstrainedError: 'noCamera',
};

/** The camera, off until it is switched on. */
export function Camera({ onText }: { onText(text: string): void }) {
  const pageMessages = useMessages(MESSAGES);
  const [isOn, setOn] = useState(false);
  const [scanError, setScanError] = useState<CameraError>();

  function toggle() {
    setScanError(undefined);
    // browsers offer no camera on plain HTTP
    if (!isOn && !navigator.mediaDevices?.getUserMedia) setScanError('notSecure');
    else setOn(!isOn);
  }

  return (
    <Stack gap="xs">
      {scanError && (
        <Alert color="yellow" role="alert">
          {pageMessages[scanError]}
        </Alert>
      )}
      {isOn && (
        <Picture
          onText={onText}
          fail={(name) => {
            setOn(false);
            setScanError(CAMERA_ERRORS[name] ?? 'cameraFailed');
          }}
        />
      )}
      <Button variant="default" leftSection={<IconCamera size={16} aria-hidden />} onClick={toggle}>
        {isOn ? pageMessages.stopCamera : pageMessages.camera}
      </Button>
    </Stack>
  );
}

function Picture({ onText, fail }: { onText(text: string): void; fail(name: string): void }) {
  const pageMessages = useMessages(MESSAGES);
  const video = useRef<HTMLVideoElement>(null);
  const calls = useRef({ onText, fail });
  calls.current = { onText, fail };

  useEffect(() => {
    let isOver = false;
    let stream: MediaStream | undefined;
    async function scanFrame() {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      const [decode, element] = [await createDecoder(), video.current];
      if (isOver || !element) return;
      element.srcObject = stream;
      await element.play();
      let last: string | undefined;
      while (!isOver) {
        const text = await decode(element).catch(() => undefined);
        // reports a label once, however long it is in view
        if (text !== undefined && text !== last && !isOver) calls.current.onText(text);
        last = text ?? last;
        await new Promise((resolve) => setTimeout(resolve, SCAN_INTERVAL_MS));
      }
    }
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    scanFrame()
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
        aria-label={pageMessages.video}
        style={{ width: '100%', maxHeight: '50vh', background: '#000' }}
      />
      <Text size="sm" role="status">
        {pageMessages.looking}
      </Text>
    </>
  );
}
