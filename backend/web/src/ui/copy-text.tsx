import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n';
import { copyFrom } from './clipboard';
import classes from './copy-text.module.css';
import { IconCheck, IconCopy } from './icons.tsx';

const SHOWN_MS = 2_000;

/** A text with a button that copies it, or selects it if copying isn't available. */
export function CopyText({ text, label, wraps }: { text: string; label: string; wraps?: boolean }) {
  const { messages } = useI18n();
  const element = useRef<HTMLPreElement>(null);
  const [isCopied, setCopied] = useState(false);

  async function copy() {
    if (!element.current || !(await copyFrom(element.current))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  }

  return (
    <figure className={classes.block} aria-label={label}>
      <figcaption className={classes.caption}>
        <span>{label}</span>
        <Button
          variant="default"
          size="compact-xs"
          aria-label={`${isCopied ? messages.copy.copied : messages.copy.copy}: ${label}`}
          leftSection={isCopied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          onClick={copy}
        >
          {isCopied ? messages.copy.copied : messages.copy.copy}
        </Button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: makes long lines scrollable by keyboard */}
      <pre className={classes.text} ref={element} tabIndex={0} data-wraps={wraps} data-copy={label}>
        {text}
      </pre>
    </figure>
  );
}
