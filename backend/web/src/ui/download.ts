/** Gives a file to the browser to keep. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // not at once: a browser may still be reading
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
