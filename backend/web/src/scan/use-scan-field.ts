import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { createKeyReader } from './key-reader';

/** Event handlers of a text field that hand scanners type into. @param onScan receives the text of a label */
export function useScanField(onScan: (label: string) => void) {
  const scanned = useRef(onScan);
  scanned.current = onScan;
  const [reader] = useState(() => createKeyReader({ onScan: (label) => scanned.current(label) }));
  useEffect(() => reader.stop, [reader]);
  return {
    onKeyDown: (event: KeyboardEvent) => reader.handleKeyDown(event.nativeEvent),
    onInput: (event: FormEvent) => reader.handleInput(event.nativeEvent as InputEvent),
  };
}
