/** Browsers offer no Clipboard API on plain HTTP, so the text is selected and the deprecated copy command is tried. */
export async function copyFrom(element: HTMLElement): Promise<boolean> {
  const { clipboard } = navigator as Partial<Navigator>;
  const hasCopied = await clipboard?.writeText(element.textContent).then(
    () => true,
    () => false,
  );
  if (hasCopied) return true;
  getSelection()?.selectAllChildren(element);
  return document.execCommand('copy');
}
