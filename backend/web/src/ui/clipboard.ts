/** On plain http in a LAN browsers have no clipboard for pages: the text is selected and the old command tried. */
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
