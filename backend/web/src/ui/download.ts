/** Starts the download of a file. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // revoked later, because the browser may still be reading the file
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
