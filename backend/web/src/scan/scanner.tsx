import { useEffect, useRef } from 'react';
import { createKeyReader, takeLateEnding } from './key-reader';

const NOT_TYPED_INTO = /^(button|checkbox|color|file|image|radio|range|reset|submit)$/;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLInputElement
    ? !NOT_TYPED_INTO.test(target.type)
    : target instanceof HTMLElement && (target.isContentEditable || /^(textarea|select)$/i.test(target.tagName));

/** Reads hand scanners outside of text fields. */
export function Scanner({ onText }: { onText(text: string): void }) {
  const scanned = useRef(onText);
  scanned.current = onText;
  useEffect(() => {
    const open = (text: string) => scanned.current(text);
    const reader = createKeyReader({ onScan: open, onUnreadable: open });
    const handleKeyDown = (event: KeyboardEvent) =>
      isTyping(event.target) ? takeLateEnding(event) : reader.handleKeyDown(event);
    document.addEventListener('keydown', handleKeyDown, { capture: true });
    return () => {
      reader.stop();
      document.removeEventListener('keydown', handleKeyDown, { capture: true });
    };
  }, []);
  return null;
}
